import { AsyncLocalStorage } from 'node:async_hooks';
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../kernel/config/config.ts';
import { placeText } from '../../kernel/config/places.ts';
import { ConfigPort } from '../../kernel/config/port.ts';
import { pluginSettings } from '../../kernel/config/settings.ts';
import { SettingsStore } from '../../kernel/config/store.ts';
import { ensureHome, kernHome, projectRoot } from '../../kernel/home.ts';
import { type ExtensionFolder, Host, type Place } from '../../kernel/host/host.ts';
import { createLoader, type Loader } from '../../kernel/host/load.ts';
import { createPresence } from '../../kernel/host/presence.ts';
import { createWatcher } from '../../kernel/host/watch.ts';
import { WatchHub } from '../../kernel/host/watch-hub.ts';
import { capabilityChanged, codeOf, type IdlePlugin, Kernel, messageOf } from '../../kernel/index.ts';
import { createTrust } from '../../kernel/trust/trust.ts';
import { visible } from '../../kernel/visible.ts';
import {
  customTools,
  extensionPlugin,
  foreignNames,
  foreignPlaces,
  packageLocks,
  packagePlaces,
  toolPlaces,
} from '../contracts.ts';
import { type BuiltinManifest, builtins } from '../index.ts';
import type { ComposeOptions, Composition } from './composition.ts';
import { workbench } from './contract.ts';
import { needed } from './needed.ts';
import { findProgram } from './program.ts';
import { keepRunCosts } from './run-costs.ts';
import { settingsPlugin } from './settings-store.ts';
import { createWorkbench } from './workbench.ts';

/** A run that is over sooner never starts a watcher; what changes until then is looked for when it begins. */
const watchDelayMs = 100;

/** Makes the house: config, gate, kernel and host, and what is known of the built-ins. Nothing of a plugin runs yet. */
export async function compose(options: ComposeOptions): Promise<Composition> {
  const { cwd, env, shared } = options;
  const home = kernHome(env);
  const withoutHome = await homeProblem(home);
  const root = projectRoot(cwd, env.HOME ?? homedir(), home);
  const flags = {
    ...options.flags,
    ...(shared.permissionMode === undefined ? {} : { 'permissions.mode': shared.permissionMode }),
  };
  const config = await loadConfig({
    home,
    root,
    env,
    flags,
    needed,
    ...(shared.config === undefined ? {} : { overlay: shared.config }),
  });
  config.know(builtins.map(({ id }) => ({ id, level: 'builtin' as const })));
  const settings = new ConfigPort(config, { 'permissions.modeIsExplicit': shared.permissionMode !== undefined });
  for (const { id, settings: own = [] } of builtins) settings.declare({ id, level: 'builtin' }, own);
  const trust = createTrust({ home, root, runTrust: shared.trust });

  /** Watching has begun: what comes from now on is to be noticed. */
  let isFollowing = false;
  const hub = new WatchHub({
    make: (onChange) =>
      createWatcher({
        debounceMs: 50,
        onChange,
        onError: (error) =>
          kernel.journal.add('kern', 'warning', 'watch_failed', `watching failed: ${String(error)}`, error),
      }),
    onBegin: () => {
      isFollowing = true;
      soon(followConfig());
      soon(host.catchUp());
    },
  });
  const kernel = new Kernel({
    where: { cwd, root, home, user: realPath(env.HOME ?? homedir()) },
    settings,
    trust: trust.gate,
    watch: hub,
    presence: createPresence({ user: env.HOME ?? homedir(), env }),
  });
  const store = new SettingsStore({
    config,
    clock: kernel.clock,
    failed: (error, pending) => {
      const what = pending === 1 ? 'a setting is' : `${pending} settings are`;
      const text = `${what} not saved yet, and kept for this run: ${messageOf(error)}`;
      kernel.journal.add('kern', 'error', 'settings_unsaved', text, error);
    },
    restored: () => kernel.journal.add('kern', 'info', 'settings_saved', 'the settings are saved now'),
    stray: (error, key) => {
      const plugin = kernel.owners.current()?.activation?.id ?? 'kern';
      kernel.journal.failure(plugin, 'stray_error', `watching ${key}`, error);
    },
  });

  let loader: Loader | undefined;
  const load = (): Loader => {
    loader ??= createLoader({
      cacheDir: join(home, 'cache', 'modules'),
      hostModules,
      foreignModules: foreignNames(kernel.outlook),
    });
    return loader;
  };
  const lookAgain = (): void => soon(host.catchUp());
  const otherPlaces = async (): Promise<readonly Place[]> =>
    (
      await Promise.all([
        foreignPlaces(kernel.outlook, lookAgain),
        toolPlaces(kernel.outlook, { isFollowed: isFollowing }),
        packagePlaces(kernel.outlook),
      ])
    ).flat();
  const host = new Host({
    kernel,
    loader: load,
    watch: hub,
    trust,
    folders: shared.noExtensions ? [] : extensionFolders(home, root),
    explicit: shared.extensions,
    adopt: (factory, { entry, shortName, manifest, dialect }) =>
      extensionPlugin(factory, { path: entry, name: shortName, id: manifest?.id, prefix: dialect }),
    ...(shared.noExtensions ? {} : { others: otherPlaces }),
  });
  hub.watch('config', config.files, () => soon(followConfig()));
  // Installed or removed, by this process or another.
  if (!shared.noExtensions) hub.watch('packages', packageLocks(kernel.outlook.where), lookAgain);
  // Granted or taken away, by this process or another.
  hub.watch('trust', [join(home, 'trust.json')], () => soon(host.recheck()));

  const program = findProgram();
  // Loading the built-ins like any other plugin takes longer: it is for whoever works on them.
  const isLive = program.fromSource && env.KERN_SOURCE === '1';
  kernel.introduce([
    ...builtins.map((manifest) => (isLive ? fromSource(manifest, host, program.root) : manifest)),
    benchPlugin(),
    settingsPlugin(kernel, settings, store),
    foundCodePlugin(lookAgain),
  ]);
  if (withoutHome !== undefined) kernel.journal.add('kern', 'warning', 'home_unusable', withoutHome);
  tellOfKeepers(kernel);

  function benchPlugin(): IdlePlugin {
    return {
      id: 'cli.workbench',
      declares: [workbench],
      contributes: { [workbench.id]: [workbench.id] },
      load: async () => ({
        id: 'cli.workbench',
        declares: [workbench],
        setup: (ctx) =>
          ctx.contribute(
            workbench,
            createWorkbench({
              kernel,
              host,
              config,
              trust,
              home,
              root,
              overlay: shared.config ?? env.KERN_CONFIG,
              program,
              describe: (id, schema) => config.register(pluginSettings(id, schema)),
              compose,
              watch,
            }),
          ),
      }),
    };
  }

  const tellOfConfig = reporter(config, kernel, () => {
    // What is left out or blocked has not said its id yet.
    return !shared.noExtensions && host.places.every(({ status }) => status.state !== 'blocked');
  });
  const wakeAll = async (asFarAsPossible: boolean): Promise<void> => {
    const booted = await kernel.boot();
    if (!booted.ok && !asFarAsPossible) throw booted.error;
    // One that fails took the others with it: each for itself.
    if (!booted.ok) for (const plugin of eagerOf(kernel)) await kernel.change({ wake: [plugin], limitMs: 10_000 });
    await host.start();
    await migrateConfig();
    tellOfConfig();
  };
  /** Names of an older kern become those of today; what cannot be rewritten counts all the same. */
  async function migrateConfig(): Promise<void> {
    try {
      const migrated = await config.migrate(new Date().toISOString().slice(0, 10));
      if (migrated === undefined) return;
      const names = migrated.renames.map(({ from, to }) => `${from.join('.')} is called ${to.join('.')}`).join(', ');
      const text = `in ${migrated.file} ${names} now: it was rewritten, and what it was is in ${migrated.backup}`;
      kernel.journal.add('kern', 'warning', 'config_migrated', text);
    } catch (error) {
      kernel.journal.add('kern', 'warning', 'config_migrated', messageOf(error), error);
    }
  }

  let extended: Promise<void> | undefined;
  const extend: Composition['extend'] = ({ asFarAsPossible = false } = {}) => {
    extended ??= awake(wakeAll(asFarAsPossible));
    return extended;
  };

  let applied: Promise<void> = Promise.resolve();
  // Also a plugin that is just being set up may change a setting: what follows from it is no part of that setup.
  const outside = AsyncLocalStorage.snapshot();
  // Whoever changed it: an editor, a plugin, or a command of ours.
  config.onChange(({ keys }) => {
    settings.renew();
    applied = outside(async () => {
      await kernel.configure(settings, keys);
      await host.catchUp();
    });
    soon(applied);
  });

  /** What cannot be saved to the last is named: nobody can try it again. */
  async function saveSettings(): Promise<void> {
    await store.flush().catch(() => undefined); // told as it failed
    store.close();
    if (store.pending === 0) return;
    const text = `not saved: ${config.drafts.join(', ')}`;
    kernel.journal.add('kern', 'error', 'settings_lost', text);
  }

  async function followConfig(): Promise<void> {
    await config.reload();
    if (extended !== undefined) tellOfConfig();
    await applied;
  }

  /** Counted, so that a turn waits for it. */
  function soon(work: Promise<void>): void {
    hub
      .during(work)
      .catch((error: unknown) => kernel.journal.add('kern', 'error', 'host_failed', String(error), error));
  }

  let beginning: (() => void) | undefined;
  const watch = (): void => {
    beginning ??= kernel.owners.free(() => kernel.clock.after(watchDelayMs, () => hub.begin()));
  };

  return {
    kernel,
    view: kernel.view(),
    hasExtensions:
      shared.extensions.length > 0 ||
      (!shared.noExtensions && ['extensions', 'packages'].some((name) => isFilled(join(home, name)))),
    extend,
    watch,
    shutdown: async () => {
      beginning?.();
      const kept = keepRunCosts(kernel, home);
      host.close();
      await hub.close();
      await kernel.shutdown();
      await saveSettings();
      await kept;
    },
  };
}

/** Tools that discovery finds are loaded by the host: it looks again when there are others. */
function foundCodePlugin(changed: () => void): IdlePlugin {
  const id = 'cli.found-code';
  return {
    id,
    declares: [],
    contributes: {},
    taps: [capabilityChanged.id],
    load: async () => ({
      id,
      setup: (ctx) =>
        ctx.tap(capabilityChanged, ({ capability }) => {
          if (capability === customTools.id) changed();
        }),
    }),
  };
}

function extensionFolders(home: string, root: string): readonly ExtensionFolder[] {
  const user: ExtensionFolder = { path: join(home, 'extensions'), level: 'user' };
  const project: ExtensionFolder = { path: join(root, '.kern', 'extensions'), level: 'project', root };
  // In the home folder itself `.kern` is the user's own, and not a project's.
  return realPath(home) === realPath(join(root, '.kern')) ? [user] : [user, project];
}

/** Plugins that are loaded at the start because they tap hooks. */
const eagerOf = (kernel: Kernel): readonly IdlePlugin[] =>
  kernel.snapshot().idle.filter(({ taps = [] }) => taps.length > 0);

/** What the names of kern, and zod, are to an extension: the host's own objects. Loaded when something asks. */
const hostModules = {
  'kern/plugin': () => import('../../kernel/index.ts'),
  'kern/contracts': () => import('../contracts.ts'),
  'kern/testing': () => import('../testing.ts'),
  zod: () => import('zod'),
  'zod/v4': () => import('zod/v4'),
  'zod/mini': () => import('zod/mini'),
};

/** A built-in that is loaded like any other plugin: watched and swapped. */
function fromSource({ stubs: _, ...manifest }: BuiltinManifest, host: Host, root: string): IdlePlugin {
  // What was generated may be older than a source that is being worked on.
  return { ...manifest, load: () => host.builtin(manifest.id, join(root, 'plugins', manifest.path, 'index.ts')) };
}

/** The kernel's limits do not keep the process: without this, a plugin that waits for nothing would end it quietly. */
async function awake<T>(work: Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, 60_000);
  try {
    return await work;
  } finally {
    clearInterval(hold);
  }
}

/**
 * Makes the home, or says why there is none: what only reads goes on without. A home that others own is refused, since
 * what stands in it would be obeyed.
 */
async function homeProblem(home: string): Promise<string | undefined> {
  try {
    await ensureHome(home);
    return undefined;
  } catch (error) {
    const isReadOnly = ['EROFS', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '');
    if (!isReadOnly && isThere(home)) throw error;
    return `${home} cannot be written, so nothing is kept there: ${messageOf(error)}`;
  }
}

function isFilled(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false; // not there
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // not there
  }
}

/** Also a link that leads nowhere is there. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return codeOf(error) !== 'ENOTDIR';
  }
}

/** Says what is wrong in the config files, each thing once. */
function reporter(config: Config, kernel: Kernel, isWhole: () => boolean): () => void {
  const told = new Set<string>();
  return () => {
    const plugins = [
      ...builtins.map(({ id }) => ({ id, level: 'builtin' as const })),
      ...kernel.known.map(({ definition: { id }, level }) => ({ id, level })),
      ...kernel.sleeping.map(({ id, level = 'builtin' as const }) => ({ id, level })),
      ...[...kernel.failures.values()].map(({ unit: { id, level } }) => ({ id, level })),
    ];
    config.know(plugins);
    const isKnown = isWhole();
    const unknown = config
      .unknown(plugins.map(({ id }) => id))
      .filter(({ key }) => isKnown || key?.startsWith('plugins.') !== true);
    for (const problem of [...config.problems, ...unknown]) {
      const place = placeText(problem);
      const line = `${problem.key === undefined ? '' : `${problem.key}: `}${problem.message}${place === '' ? '' : ` (${place})`}`;
      if (told.has(line)) continue;
      told.add(line);
      kernel.journal.add('kern', 'warning', 'config_problem', visible(line));
    }
  };
}

/** A guard that the user's own config lifted is named at every start. */
function tellOfKeepers(kernel: Kernel): void {
  const guards = builtins.flatMap(({ declares }) => declares).filter((token) => 'guard' in token);
  const keepers = new Set(guards.flatMap((token) => (token as { guard?: { keeper?: string } }).guard?.keeper ?? []));
  for (const id of keepers) {
    const { off } = kernel.settings.plugin(id, 'builtin');
    if (off !== undefined)
      kernel.journal.add(
        'kern',
        'warning',
        'keeper_off',
        `${id} is switched off (${off}): nothing that it guards is asked about`,
      );
  }
}
