import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defineCapability } from '../../capability.ts';
import { pluginChanged } from '../../events.ts';
import { Kernel } from '../../kernel.ts';
import type { PluginDefinition } from '../../plugin.ts';
import { anything } from '../../schema.ts';
import { createTrust, type Trust } from '../../trust/trust.ts';
import { type Adopt, Host, type Place } from '../host.ts';
import { createLoader } from '../load.ts';
import { createPresence } from '../presence.ts';
import { createWatcher } from '../watch.ts';
import { WatchHub } from '../watch-hub.ts';

interface Word {
  readonly key: string;
  readonly text: string;
}

/** What the extensions of these tests supply. */
export const words = defineCapability<Word>({
  id: 'word',
  schema: anything<Word>(),
  key: (word) => word.key,
  // The text of a stub is not known before its plugin has run.
  stub: (descriptor) => ({ ...(descriptor as Word), text: 'asleep' }),
});

/** An extension with one word. */
export function word(id: string, text: string, more = ''): string {
  return `import { definePlugin } from 'kern/plugin';
import { words } from 'test/words';
export default definePlugin({ id: '${id}', ${more} setup: (ctx) => ctx.contribute(words, { key: '${id}', text: '${text}' }) });
`;
}

export interface HouseOptions {
  readonly runTrust?: boolean;
  readonly explicit?: readonly string[];
  readonly noExtensions?: boolean;
  readonly adopt?: Adopt;
  readonly others?: () => Promise<readonly Place[]>;
  /** A gate that does something else. */
  readonly trust?: (trust: Trust) => Trust;
}

/** Kernel, loader, watcher and gate as the program puts them together, in folders of their own. */
export interface House extends AsyncDisposable {
  readonly kernel: Kernel;
  readonly host: Host;
  readonly hub: WatchHub;
  readonly trust: Trust;
  /** Holds `home` and `project`. */
  readonly folder: string;
  path(name: string): string;
  write(name: string, text: string): string;
  remove(name: string): void;
  rename(from: string, to: string): void;
  exists(name: string): boolean;
  read(name: string): string;
  /** Watching begins, and nothing is under way any more. */
  watch(): Promise<void>;
  settle(): Promise<void>;
  /** `key: text`, sorted by key. */
  words(): readonly string[];
  /** Waits until these are the words. */
  become(...lines: readonly string[]): Promise<void>;
  until(isTrue: () => boolean, what: () => unknown): Promise<void>;
  /** What was told of plugins, such as `a live` and `a kept: <reason>`. */
  readonly told: string[];
  /** The state of each place, by its path below the folder. */
  states(): Readonly<Record<string, string>>;
  failures(): readonly string[];
  journal(): readonly string[];
}

export async function house(files: Readonly<Record<string, string>> = {}, options: HouseOptions = {}): Promise<House> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-house-')));
  const path = (name: string): string => join(folder, name);
  const write = (name: string, text: string): string => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
    return path(name);
  };
  const home = path('home');
  const root = path('project');
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const own = createTrust({ home, root, runTrust: options.runTrust === true });
  const trust = options.trust?.(own) ?? own;
  const hub = new WatchHub({
    make: (onChange) =>
      createWatcher({ onChange, onError: (error) => kernel.journal.add('kern', 'error', 'watch', String(error)) }),
    onBegin: () => void host.catchUp(),
  });
  const kernel = new Kernel({
    where: { cwd: root, root, home },
    trust: trust.gate,
    watch: hub,
    presence: createPresence({ user: root, env: {} }),
  });
  const loader = createLoader({
    cacheDir: join(home, 'cache'),
    hostModules: {
      'kern/plugin': () => import('../../index.ts'),
      'test/words': () => ({ words }),
    },
  });
  const host = new Host({
    kernel,
    loader: () => loader,
    watch: hub,
    trust,
    folders:
      options.noExtensions === true
        ? []
        : [
            { path: join(home, 'extensions'), level: 'user' },
            { path: join(root, '.kern', 'extensions'), level: 'project', root },
          ],
    explicit: (options.explicit ?? []).map(path),
    ...(options.adopt === undefined ? {} : { adopt: options.adopt }),
    ...(options.others === undefined ? {} : { others: options.others }),
  });
  const told: string[] = [];
  const listener: PluginDefinition = {
    id: 'listener',
    declares: [words],
    setup: (ctx) =>
      ctx.tap(pluginChanged, ({ id, state, reason }) => {
        if (id !== 'listener') told.push(`${id} ${state}${reason === undefined ? '' : `: ${reason}`}`);
      }),
  };
  kernel.introduce([
    { id: 'listener', declares: [words], contributes: {}, taps: [pluginChanged.id], load: async () => listener },
  ]);
  const booted = await kernel.boot();
  if (!booted.ok) throw booted.error;
  const settle = (): Promise<void> => kernel.settled(15_000);
  const now = (): readonly string[] =>
    kernel.outlook
      .use(words)
      .items()
      .map(({ key, text }) => `${key}: ${text}`)
      .sort();
  const until: House['until'] = async (isTrue, what) => {
    const end = performance.now() + 15_000;
    while (!isTrue()) {
      if (performance.now() > end) throw new Error(`it did not come about; what there is: ${JSON.stringify(what())}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  return {
    kernel,
    host,
    hub,
    trust,
    folder,
    path,
    write,
    remove: (name) => rmSync(path(name), { recursive: true }),
    rename: (from, to) => renameSync(path(from), path(to)),
    exists: (name) => existsSync(path(name)),
    read: (name) => readFileSync(path(name), 'utf8'),
    watch: async () => {
      hub.begin();
      await settle();
    },
    settle,
    words: now,
    become: (...lines) => until(() => JSON.stringify(now()) === JSON.stringify(lines), now),
    until,
    told,
    states: () =>
      Object.fromEntries(
        host.places.map(({ place, status }) => [place.entry.slice(folder.length + 1), status.state] as const),
      ),
    failures: () => [...kernel.failures.values()].map(({ unit: { id }, code }) => `${id}: ${code}`).sort(),
    journal: () => kernel.journal.all().map(({ code, message }) => `${code}: ${message}`),
    [Symbol.asyncDispose]: async () => {
      host.close();
      await hub.close();
      await kernel.shutdown();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
