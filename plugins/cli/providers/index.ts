import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { providerCommands } from './commands.ts';

/** `kern providers`: who supplies what, and who wins. */
export default definePlugin({
  id: 'cli.providers',
  setup: (ctx) => {
    for (const command of providerCommands) ctx.contribute(commands, command);
  },
});
