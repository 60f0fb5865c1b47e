import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { modelCommands } from './commands.ts';

/** `kern models`: which there are, what they cost, and whether they work. */
export default definePlugin({
  id: 'cli.models',
  setup: (ctx) => {
    for (const command of modelCommands) ctx.contribute(commands, command);
  },
});
