import { AsyncLocalStorage } from 'node:async_hooks';
import { definePlugin } from 'kern/plugin';
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
    const { home } = ctx.where;
    const apis = async (): Promise<ExtensionApis> => (await import('./apis.ts')).extensionApisIn(around, home);
    let loaded: Promise<ExtensionApis> | undefined;
    const load = (): Promise<ExtensionApis> => {
      loaded ??= apis();
      return loaded;
    };
    ctx.contribute(extensionApis, {
      adopt: async (scope, factory, origin) => (await load()).adopt(scope, factory, origin),
      module: async (name) => (await load()).module(name),
    });
  },
});
