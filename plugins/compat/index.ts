import { AsyncLocalStorage } from 'node:async_hooks';
import { extensionModules, hookItems } from 'kern/contracts';
import { capabilityChanged, definePlugin } from 'kern/plugin';
import { type ExtensionApis, extensionApis } from './contract.ts';
import type { Shelter } from './shim/shelter.ts';

export default definePlugin({
  id: 'compat',
  description: 'Runs extensions that were written for pi and oh-my-pi.',
  declares: [extensionApis],
  async setup(ctx) {
    // Kept, since modules that older revisions gave to extensions look into it too.
    const around = await ctx.keep('around', '1', () => ({
      value: new AsyncLocalStorage<Shelter>(),
      release: () => {},
    }));
    const listeners = new Set<() => void>();
    const { home } = ctx.where;
    const apis = async (): Promise<Pick<ExtensionApis, 'adopt' | 'module' | 'events'>> =>
      (await import('./apis.ts')).extensionApisIn(around, home);
    let loaded: ReturnType<typeof apis> | undefined;
    const load = (): ReturnType<typeof apis> => {
      loaded ??= apis();
      return loaded;
    };
    ctx.contribute(extensionApis, {
      adopt: async (scope, factory, origin) => (await load()).adopt(scope, factory, origin),
      module: async (name) => (await load()).module(name),
      events: async () => (await load()).events(),
      follow(listener) {
        if (listeners.size === 0)
          ctx.tap(capabilityChanged, ({ capability }) => {
            if (capability === extensionModules.id || capability === hookItems.id) for (const told of listeners) told();
          });
        listeners.add(listener);
      },
    });
  },
});
