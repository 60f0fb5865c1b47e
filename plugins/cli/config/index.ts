import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { configCommands } from './commands.ts';

/** `kern config`: reading and writing settings. */
export default definePlugin({
  id: 'cli.config',
  setup: (ctx) => {
    for (const command of configCommands) ctx.contribute(commands, command);
  },
});
