import type { AsyncLocalStorage } from 'node:async_hooks';
import { KernError } from 'kern/plugin';
import { ActiveTools } from './active-tools.ts';
import { adopt } from './adopt.ts';
import { type ExtensionApis, foreignModules } from './contract.ts';
import { eventTable } from './events/table.ts';
import type { Shared } from './events/wire.ts';
import { type ForeignKind, makeModule } from './shim/modules.ts';
import type { Shelter } from './shim/shelter.ts';

/** What the service is: loaded with the first extension, or the first import of one of the names. */
export function extensionApisIn(
  around: AsyncLocalStorage<Shelter>,
  home: string,
): Pick<ExtensionApis, 'adopt' | 'module' | 'events'> {
  const shared: Shared = { inputs: new WeakMap(), changed: new Map() };
  const active = new ActiveTools();
  const made = new Map<string, Promise<object>>();
  const module = (kind: ForeignKind, name: string): Promise<object> => {
    const known = made.get(name) ?? makeModule(kind, { name, home, around });
    made.set(name, known);
    return known;
  };
  return {
    events: async () => eventTable.map(({ wire: _wire, ...row }) => row),
    module(name) {
      const kind = Object.entries(foreignModules).find(([, names]) => names.some((one) => one === name))?.[0];
      if (kind === undefined) throw new KernError('host_name_unknown', `kern does not stand in for ${name}`);
      return module(kind as ForeignKind, name);
    },
    async adopt(ctx, factory, origin) {
      const modules = {
        'coding-agent': await module('coding-agent', '@oh-my-pi/pi-coding-agent'),
        typebox: await module('typebox', 'typebox'),
      };
      await adopt(ctx, factory, origin, {
        shared,
        active,
        modules,
        within: (scope, tool, fn) => around.run({ ctx: scope, tool }, fn),
      });
    },
  };
}
