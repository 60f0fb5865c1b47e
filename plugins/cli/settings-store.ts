import { type SettingKey, type SettingsService, settings } from 'kern/contracts';
import type { Handle, IdlePlugin, Kernel, SettingsPort } from 'kern/plugin';

/** What changes and keeps settings. */
interface Store {
  readonly pending: number;
  set(key: SettingKey, value: unknown, by: 'user' | 'project'): void;
  unset(key: SettingKey, by: 'user' | 'project'): void;
  override(key: SettingKey, value: unknown, by: 'user' | 'project'): () => void;
  watch(key: SettingKey, listener: (value: unknown) => void): () => void;
  flush(): Promise<void>;
}

/** Offers the store to plugins, each of which is held to what its level may set. */
export function settingsPlugin(kernel: Kernel, port: SettingsPort, store: Store): IdlePlugin {
  const by = (): 'user' | 'project' => (kernel.owners.current()?.activation?.level === 'project' ? 'project' : 'user');
  const service: SettingsService = {
    get: (key) => port.get(key),
    set: (key, value) => store.set(key, value, by()),
    unset: (key) => store.unset(key, by()),
    override: (key, value) => handle(store.override(key, value, by())),
    watch: (key, listener) => {
      // Whoever watches answers for what it does when it is told.
      const watching = kernel.owners.current() ?? {};
      const end = store.watch(key, (value) => {
        if (watching.activation?.state === 'gone') end();
        else kernel.owners.run({ activation: watching.activation, view: watching.view }, () => listener(value));
      });
      return handle(end);
    },
    flush: () => store.flush(),
    get pending() {
      return store.pending;
    },
  };
  return {
    id: 'settings.store',
    declares: [],
    contributes: { [settings.id]: [settings.id] },
    load: async () => ({ id: 'settings.store', setup: (ctx) => ctx.contribute(settings, service) }),
  };
}

function handle(dispose: () => void): Handle {
  return { dispose, [Symbol.dispose]: dispose };
}
