import { mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLoader, type Loaded, type Loader, type LoadOptions } from '../load.ts';

/** A folder of its own with a loader for what lies in it. */
export interface Workbench extends Disposable {
  readonly folder: string;
  readonly plugin: string;
  readonly cache: string;
  readonly loader: Loader;
  readonly host: { readonly kernel: object; readonly contracts: object; readonly zod: object };
  path(name: string): string;
  write(name: string, text: string): string;
  /** As editors do it: a new file takes the place of the old. */
  replace(name: string, text: string): string;
  remove(name: string): void;
  load(name: string, options?: Partial<LoadOptions>): Promise<Loaded>;
}

export function workbench(): Workbench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-host-')));
  const plugin = join(folder, 'plugin');
  const cache = join(folder, 'cache');
  mkdirSync(plugin);
  const host = {
    kernel: { definePlugin: (definition: unknown) => definition, copy: 'the host' },
    contracts: { tools: { id: 'tool' } },
    zod: { z: { mark: 'the zod of the host' } },
  };
  const loader = createLoader({
    cacheDir: cache,
    hostModules: {
      'kern/plugin': () => host.kernel,
      'kern/contracts': async () => host.contracts,
      zod: async () => host.zod,
    },
  });
  const path = (name: string): string => join(plugin, name);
  const write = (name: string, text: string): string => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
    return path(name);
  };
  return {
    folder,
    plugin,
    cache,
    loader,
    host,
    path,
    write,
    replace(name, text) {
      const next = write(`${name}.next`, text);
      renameSync(next, path(name));
      return path(name);
    },
    remove: (name) => rmSync(path(name), { recursive: true }),
    load: (name, options) => loader.load(path(name), { root: plugin, ...options }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Names below a folder, sorted, for messages that a person reads. */
export function names(folder: string): string[] {
  return readdirSync(folder).sort();
}
