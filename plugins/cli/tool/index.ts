import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { toolCommands } from './commands.ts';

/** `kern tool`: the tools that a model would have, for a person. */
export default definePlugin({
  id: 'cli.tool',
  setup: (ctx) => {
    for (const command of toolCommands) ctx.contribute(commands, command);
  },
});
