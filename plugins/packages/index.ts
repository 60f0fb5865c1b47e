import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { packageCommands } from './commands.ts';
import { packageSettings } from './settings.ts';

export default definePlugin({
  id: 'packages',
  description: 'Installs packages of extensions, skills and more, and looks through them.',
  settings: packageSettings,
  setup(ctx) {
    for (const command of packageCommands) ctx.contribute(commands, command);
  },
});
