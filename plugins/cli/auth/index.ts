import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { authCommands } from './commands.ts';

/** `kern auth`: keys and sign-ins. */
export default definePlugin({
  id: 'cli.auth',
  setup: (ctx) => {
    for (const command of authCommands) ctx.contribute(commands, command);
  },
});
