import { settings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

/** The service itself is put in by whoever reads the config files: `settings.store`. */
export default definePlugin({
  id: 'settings',
  description: 'What the settings service is.',
  declares: [settings],
  setup: () => undefined,
});
