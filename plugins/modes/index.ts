import { keybindings, modes, renderers } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

export default definePlugin({
  id: 'modes',
  description: 'What a front of kern is: print, json, and those that others add.',
  declares: [modes, renderers, keybindings],
  setup: () => undefined,
});
