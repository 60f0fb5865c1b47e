import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { sessionCommands } from './commands.ts';

/** `kern sessions`: what was said before. */
export default definePlugin({
  id: 'cli.sessions',
  setup: (ctx) => {
    for (const command of sessionCommands) ctx.contribute(commands, command);
  },
});
