import { existsSync } from 'node:fs';
import {
  type ConfigProblemReport,
  type SettingReport,
  tools,
  type ValueReport,
  type Workbench,
  type WritableLevel,
} from 'kern/contracts';
import {
  type Capability,
  didYouMean,
  installProcessHandlers,
  KernError,
  type Kernel,
  type Level,
  nearNames,
  type PluginDefinition,
  type Schema,
  type TrustItem,
} from 'kern/plugin';
import { complaintOf, listenForComplaints } from './complaints.ts';
import type { ComposeOptions, Composition } from './composition.ts';
import { needed } from './needed.ts';
import { type FoundPlace, pluginReports } from './plugin-reports.ts';
import type { Program } from './program.ts';
import {
  capabilitiesOf,
  entryReports,
  itemNames,
  providerItems,
  providerReports,
  wakeAll,
  whyNotUsed,
} from './provider-reports.ts';
import { switchesOf } from './provider-switches.ts';
import { whyNotReplaced } from './replaced.ts';
import { readRunCosts } from './run-costs.ts';
import { createTrustDesk, type TrustPart } from './trust-desk.ts';

interface ConfigPart {
  get(key: string): ValueReport;
  said(level: WritableLevel, path: readonly string[]): unknown;
  has(key: string): boolean;
  list(): readonly ValueReport[];
  settings(): readonly SettingReport[];
  write(level: WritableLevel, key: string | readonly string[], value: unknown): Promise<{ readonly file: string }>;
  unset(level: WritableLevel, key: string | readonly string[]): Promise<{ readonly file: string }>;
  check(key: string, value: unknown): void;
  know(plugins: Iterable<{ readonly id: string; readonly level: Level }>): void;
  unknown(plugins: Iterable<string>): readonly ConfigProblemReport[];
  plugin(id: string, level: Level): { readonly state: 'on' | 'off' };
  configure(id: string, level: Level, schema: Schema<unknown>): { readonly problems: readonly ConfigProblemReport[] };
  file(level: WritableLevel): string | undefined;
  readonly problems: readonly ConfigProblemReport[];
  readonly shadowed: readonly string[];
}

/** The plugins that are there, and the code of those whose settings are asked about. */
interface Known {
  readonly ids: readonly string[];
  readonly definitions: readonly { readonly level: Level; readonly definition: PluginDefinition }[];
}

/** What compose.ts made, as far as commands need it. */
export interface WorkbenchParts {
  readonly kernel: Kernel;
  readonly host: {
    readonly places: readonly FoundPlace[];
    readonly problems: ReadonlyMap<string, string>;
    reload(): Promise<void>;
  };
  readonly config: ConfigPart;
  readonly trust: TrustPart;
  readonly home: string;
  readonly root: string;
  readonly overlay: string | undefined;
  readonly program: Program;
  /** Makes the settings of a plugin's config schema known. */
  readonly describe: (id: string, schema: unknown) => void;
  readonly compose: (options: ComposeOptions) => Promise<Composition>;
  readonly watch: () => void;
}

/** Answers commands about the whole. */
export function createWorkbench(parts: WorkbenchParts): Workbench {
  const { kernel, host, config, trust, home, root, program } = parts;
  const { outlook: view } = kernel;

  const itemsOfProject = (): readonly TrustItem[] =>
    host.places
      .filter(({ place }) => place.level === 'project')
      .map(({ place }) => ({ kind: 'plugin', id: place.name, path: place.entry, ...place.bound }));

  /** Ids hold dots and settings come from plugins: both have to be known before a key is read. */
  const knowPlugins = async (about?: string): Promise<Known> => {
    const definitions: { readonly level: Level; readonly definition: PluginDefinition }[] = kernel.known.map(
      ({ level, definition }) => ({ level, definition }),
    );
    for (const plugin of kernel.sleeping) {
      const { level = 'builtin' } = plugin;
      // Nothing of a stranger's plugin runs because someone lists settings.
      if (about === undefined ? level !== 'builtin' : !about.startsWith(`plugins.${plugin.id}`)) continue;
      definitions.push({ level, definition: await plugin.load() });
    }
    const ids = [
      ...kernel.sleeping.map(({ id, level = 'builtin' as const }) => ({ id, level })),
      ...definitions.map(({ level, definition }) => ({ id: definition.id, level })),
      ...[...kernel.failures.values()].map(({ unit }) => ({ id: unit.id, level: unit.level })),
    ];
    config.know(ids);
    for (const { definition } of definitions)
      if (definition.config !== undefined) parts.describe(definition.id, definition.config);
    return { ids: ids.map(({ id }) => id), definitions };
  };

  /** What is wrong with the settings of plugins, those that sleep included: each by its own schema. */
  const badSettings = ({ definitions }: Known): readonly ConfigProblemReport[] =>
    definitions.flatMap(({ level, definition: { id, config: schema } }) =>
      schema === undefined ? [] : config.configure(id, level, schema as Schema<unknown>).problems,
    );

  const switchable = (id: string, on: boolean): void => {
    const reports = pluginReports(kernel, view, host.places).filter((report) => report.id === id);
    const ids = pluginReports(kernel, view, host.places).map((report) => report.id);
    if (reports.length > 0 && reports.every(({ state }) => state === 'blocked')) {
      throw new KernError('plugin_unknown', `what the id of ${id} is, kern knows only once it is trusted`, {
        hint: on
          ? 'Look at it, then: kern trust grant'
          : 'It does not run, and stays so until `kern trust grant`; then `kern plugins` lists it by its id.',
      });
    }
    if (reports.length > 0) return;
    throw new KernError('plugin_unknown', `there is no plugin ${id}`, {
      hint: didYouMean(nearNames(id, ids)) ?? '`kern plugins` lists them.',
    });
  };

  return {
    program,
    home,
    root,
    plugins: async () => {
      // What a plugin costs in each prompt is known once its tools are there, and not only announced.
      await wakeAll(tools as Capability<unknown>, view);
      return pluginReports(kernel, view, host.places, readRunCosts(home));
    },
    whyNotReplaced: (id) => whyNotReplaced(kernel, id),
    switchPlugin: async (id, on, level) => {
      switchable(id, on);
      if (!on && needed.includes(id)) throw stillNeeded(id);
      await knowPlugins(`plugins.${id}`);
      return (await config.write(level, ['plugins', id], on)).file;
    },
    providers: () => providerReports(kernel, view),
    provider: (id) => providerItems(id, kernel, view, trust),
    switchProvider: async (id, on, level) => {
      const known = {
        providers: (await providerReports(kernel, view)).map((report) => report.id),
        items: await itemNames(kernel, view),
      };
      const { key, value, isNew = false } = switchesOf(id, on, known, (...path) => config.said(level, path));
      if (isNew) await config.unset(level, key);
      return (await config.write(level, key, value)).file;
    },
    capabilities: () => [...capabilitiesOf(kernel).keys()].sort((a, b) => (a < b ? -1 : 1)),
    entries: async (id) => {
      const known = capabilitiesOf(kernel);
      const capability = known.get(id);
      if (capability === undefined) {
        throw new KernError('capability_unknown', `nothing is called ${id}`, {
          hint: didYouMean(nearNames(id, known.keys())) ?? `Plugins supply: ${[...known.keys()].join(', ')}`,
        });
      }
      return entryReports(capability, kernel, view, trust);
    },
    blocked: () =>
      host.places.flatMap(({ place, status: found }) =>
        found.state === 'blocked'
          ? [{ kind: 'plugin' as const, id: place.name, path: place.entry, state: found.trust }]
          : [],
      ),
    strays: () => Array.from(host.problems, ([path, message]) => ({ path, message })),
    complaints: () => kernel.journal.all().flatMap((report) => complaintOf(report) ?? []),
    onComplaint: (listener) => listenForComplaints(kernel.journal, listener),
    config: {
      get: async (key) => {
        const { ids } = await knowPlugins(key);
        const value = config.get(key);
        const isOfNobody =
          /^plugins\./.test(key) && !ids.some((id) => key === `plugins.${id}` || key.startsWith(`plugins.${id}.`));
        if (config.has(key) && !isOfNobody) return value;
        throw new KernError('config_unknown_key', `there is no setting ${key}`, {
          hint:
            didYouMean(
              nearNames(
                key,
                config.list().map((known) => known.key),
                { edits: 3 },
              ),
            ) ?? '`kern config list` shows what there is.',
        });
      },
      list: async () => {
        await knowPlugins();
        return config.list();
      },
      settings: async () => {
        await knowPlugins();
        return config.settings();
      },
      set: async (key, value, level) => {
        await knowPlugins(key);
        const lost = needed.find((id) => key === `plugins.${id}` || key === `plugins.${id}.enabled`);
        if (lost !== undefined && value === false) throw stillNeeded(lost);
        return (await config.write(level, key, value)).file;
      },
      unset: async (key, level) => {
        await knowPlugins(key);
        return (await config.unset(level, key)).file;
      },
      check: async (key, value) => {
        await knowPlugins(key);
        config.check(key, value);
      },
      files: () => configFiles(config, parts.overlay),
      problems: async () => {
        const known = await knowPlugins();
        return [
          ...config.problems,
          ...badSettings(known),
          ...config.unknown(known.ids),
          ...config.shadowed.map((file) => ({ file, message: 'is not read: another config file of its level counts' })),
        ];
      },
    },
    trust: createTrustDesk({
      isHollow: ({ kind, id }) =>
        kind === 'plugin' && host.places.some(({ place }) => place.isHollow === true && place.name === id),
      view,
      trust,
      plugins: itemsOfProject,
      unused: (kind, item) => whyNotUsed(kind, item, kernel, view),
    }),
    reload: () => host.reload(),
    elsewhere: async ({ cwd, home: place, trust: isTrusted, permissionMode }) => {
      const env = {
        ...process.env,
        KERN_HOME: place,
        KERN_CONFIG: undefined,
        KERN_MODEL: undefined,
        KERN_PERMISSION_MODE: undefined,
      };
      const shared = { trust: isTrusted, permissionMode, config: undefined, extensions: [], noExtensions: false };
      const house = await parts.compose({ cwd, env, shared });
      const release = installProcessHandlers(house.kernel);
      const crash = (): void => house.kernel.crash();
      process.once('exit', crash);
      await house.extend();
      return {
        view: house.view,
        [Symbol.asyncDispose]: async () => {
          await house.shutdown();
          process.off('exit', crash);
          release();
        },
      };
    },
    watch: parts.watch,
  };
}

const stillNeeded = (id: string): KernError =>
  new KernError('plugin_needed', `${id} is needed to switch plugins on and off, so it stays on`, {
    hint: '`kern plugins` lists the others, which may be switched off.',
  });

function configFiles(config: ConfigPart, overlay: string | undefined): ReturnType<Workbench['config']['files']> {
  const named = (['user', 'project'] as const).flatMap((layer) => {
    const file = config.file(layer);
    return file === undefined ? [] : [{ layer, file, exists: existsSync(file), shadowed: false }];
  });
  const shadowed = config.shadowed.map((file) => ({ layer: 'shadowed', file, exists: true, shadowed: true }));
  const over =
    overlay === undefined ? [] : [{ layer: 'overlay', file: overlay, exists: existsSync(overlay), shadowed: false }];
  return [...named, ...over, ...shadowed];
}
