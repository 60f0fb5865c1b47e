import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { trustCommands } from './commands.ts';

/** `kern trust`: what of a project may run. */
export default definePlugin({
  id: 'cli.trust',
  setup: (ctx) => {
    for (const command of trustCommands) ctx.contribute(commands, command);
  },
});
