import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { pluginCommands } from './commands.ts';

/** `kern plugins`: what is plugged in, and making more of it. */
export default definePlugin({
  id: 'cli.plugins',
  setup: (ctx) => {
    for (const command of pluginCommands) ctx.contribute(commands, command);
  },
});
