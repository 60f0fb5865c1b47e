import path from 'node:path';
import type { Level } from '../capability.ts';
import { messageOf } from '../error.ts';
import type { Schema } from '../schema.ts';
import { describeSetting, type SettingDescription } from './describe.ts';
import { drafted } from './drafts.ts';
import { idsIn, type Key, keyText, type Target, targetOf } from './keys.ts';
import {
  environmentLayer,
  type LastGood,
  type Layer,
  type LayerName,
  type Settled,
  settle,
  type Value,
  type ValueOrigin,
} from './layers.ts';
import { dig, emptyMap, type MapNode, nodeOf, plain, withNode } from './node.ts';
import {
  type ConfigProblem,
  type Found,
  findConfig,
  loadOverlay,
  placesOfProject,
  type ReadCache,
  userPlaces,
} from './places.ts';
import { type Configured, configure, outOfPlace, spokenTo, type Without } from './plugin-settings.ts';
import { type Migrated, migrateFile, type Rename, renameProblems, withNewNames } from './renamed.ts';
import { type Setting, Settings, variableOf } from './settings.ts';
import { shown } from './shown.ts';
import {
  itemSwitch,
  neededProblems,
  type ProviderSwitch,
  providerSwitch,
  type Switch,
  switchProblems,
} from './switches.ts';
import { unknownKeys } from './unknown.ts';
import { allValues, type ConfigState, failureOf, fingerprints, idsOf, levelOf, switchOf, valueAt } from './values.ts';
import {
  type Wanted as Draft,
  editFile,
  type Place,
  pathToWrite,
  refuse,
  refuseForeign,
  unsetIn,
  type Written,
  writeIn,
} from './write.ts';

export interface ConfigOptions {
  /** KERN_HOME. */
  readonly home: string;
  /** The project; without one there is no project layer. */
  readonly root?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The file of `--config`. Missing: KERN_CONFIG. */
  readonly overlay?: string;
  /** What the command line sets, by key: `{ 'permissions.mode': 'all' }`. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** Built-ins that no config switches off: without them nothing would be left to switch them on again. */
  readonly needed?: readonly string[];
}

/** What config says about a plugin. */
export interface PluginConfig {
  readonly state: 'on' | 'off';
  /** Who said so, when anyone did. */
  readonly by?: string;
  /** A keeper's config is bad: it must not run on defaults. */
  readonly failure?: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly origins: ReadonlyMap<string, ValueOrigin>;
}

/** Most plugins are on, and nobody sets anything. */
const usual: PluginConfig = { state: 'on', settings: Object.freeze({}), origins: new Map() };

interface Worked {
  /** Weakest first. */
  readonly layers: readonly Layer[];
  readonly settled: ReadonlyMap<string, Settled>;
  readonly renames: ReadonlyMap<LayerName, readonly Rename[]>;
  /** The plugins that a layer has a word for, and keepers, which anything that is wrong may fail. */
  readonly spokenOf: ReadonlySet<string>;
}

/** What a reload changed. */
export interface ConfigChange {
  /** `model`, `plugins.tools.bash`, `providers.claude`, `disabledItems`. */
  readonly keys: readonly string[];
  /** The plugins whose switch or settings differ, by id. */
  readonly plugins: readonly string[];
}

const nothing: Found = { root: emptyMap, shadowed: [], broken: false, problems: [], places: [] };

/** Reads the layers. Parsers are loaded only where there is a file to parse. */
export async function loadConfig(options: ConfigOptions): Promise<Config> {
  const config = new Config(options);
  await config.reload();
  return config;
}

/** The merged settings, each with its origin. The same object all the time: `reload` changes what it says. */
export class Config {
  readonly #options: ConfigOptions;
  readonly #overlay: string | undefined;
  readonly #settings = new Settings();
  readonly #cache: ReadCache = new Map();
  #found = { user: nothing, project: nothing, overlay: nothing };
  #revision = 0;
  /** What all of it comes to, worked out when it is asked for: at a start much becomes known before anybody asks. */
  #worked: Worked | undefined = {
    layers: [],
    settled: new Map(),
    renames: new Map(),
    spokenOf: new Set(),
  };
  #known: ReadonlyMap<string, Level> = new Map();
  readonly #good: LastGood = new Map();
  readonly #goodSettings = new Map<string, LastGood>();
  /** What counts already, and is in no file yet. */
  #drafts: readonly Draft[] = [];
  #overrides: readonly Draft[] = [];
  readonly #listeners = new Set<(change: ConfigChange) => void>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ConfigOptions) {
    this.#options = options;
    const named = options.overlay ?? options.env?.KERN_CONFIG;
    // Worked out once: a later change of the working directory does not mean another file.
    this.#overlay = named === undefined || named === '' ? undefined : path.resolve(named);
  }

  /** Reads the files again. A broken edit leaves what the file said before. */
  reload(): Promise<ConfigChange> {
    return this.#inTurn(() => this.#reload());
  }

  /** Adds settings; those of a plugin are made by `pluginSettings(id, schema)`. */
  register(rows: readonly Setting[]): void {
    if (rows.length === 0) return;
    this.#settings.add(rows);
    this.#revision += 1;
    if (!rows.every((row) => this.#isOnlyRead(row))) this.#worked = undefined;
  }

  /** Nothing that the layers come to depends on it: it is read from them when it is asked for. */
  #isOnlyRead(row: Setting): boolean {
    const [first, id = ''] = row.path ?? row.key.split('.');
    const isSimple = variableOf(row) === undefined && row.was === undefined && row.keeper === undefined;
    return first === 'plugins' && this.#known.has(id) && isSimple;
  }

  /** Says which plugins there are: their ids hold dots, and what a project brought is configured by other rules. */
  know(plugins: Iterable<{ readonly id: string; readonly level: Level }>): void {
    const known = new Map<string, Level>();
    // Where two levels have an id, the rules for the one that the project did not bring are the strict ones.
    for (const { id, level } of plugins) if (!known.has(id) || level !== 'project') known.set(id, level);
    this.#known = known;
    this.#stale();
  }

  /** Grows whenever an answer may be another one than before. */
  get revision(): number {
    return this.#revision;
  }

  /** The value that counts, and whose it is. A key that nobody knows has the value `undefined`. */
  get(key: Key): Value {
    return { key: keyText(key), ...valueAt(this.#state(), this.#target(key)) };
  }

  /** What the file of a level says itself, whatever the others say. */
  said(level: 'user' | 'project', path: readonly string[]): unknown {
    return plain(dig(this.#now.layers.find(({ name }) => name === level)?.root ?? emptyMap, path).node ?? emptyMap);
  }

  /** Why a value that guards must not be read: what a person wrote for it is wrong, and no default stands in for it. */
  refusal(key: string): string | undefined {
    const keeper = this.#settings.all().find((row) => `${row.key}.`.startsWith(`${key}.`))?.keeper;
    return keeper === undefined ? undefined : failureOf(this.#state(), keeper);
  }

  /** Whether the key means something here. */
  has(key: Key): boolean {
    return this.#target(key).kind !== 'unknown';
  }

  /** Every setting, and everything that is switched or set under plugins and providers. */
  list(): readonly Value[] {
    return allValues(this.#state());
  }

  /** The settings that are known now: what each may be, and who may set it. */
  settings(): readonly SettingDescription[] {
    return this.#settings.all().map(describeSetting);
  }

  /** Bad values and files that could not be read, with file and line. */
  get problems(): readonly ConfigProblem[] {
    const project = this.#now.layers.find((layer) => layer.name === 'project');
    const strangers =
      project === undefined
        ? []
        : idsIn(project.root, 'plugins').filter(
            (id) => this.#known.has(id) && levelOf(this.#state(), id) !== 'project',
          );
    return shown([
      ...Object.values(this.#found).flatMap((found) => found.problems),
      ...Array.from(this.#now.settled.values()).flatMap((settled) => settled.problems),
      ...this.#now.layers.flatMap(switchProblems),
      ...this.#now.layers.flatMap((layer) => renameProblems(layer, this.#now.renames.get(layer.name) ?? [])),
      ...this.#now.layers.flatMap((layer) => neededProblems(layer, this.#options.needed ?? [])),
      ...strangers.flatMap((id) => (project === undefined ? [] : outOfPlace(project, id, this.#settings.ofPlugin(id)))),
    ]);
  }

  /** Files that are there, while another one of their level counts. */
  get shadowed(): readonly string[] {
    return Object.values(this.#found).flatMap((found) => found.shadowed);
  }

  /** Every file that config depends on, also those that are not there yet. */
  get files(): readonly string[] {
    return Object.values(this.#found).flatMap((found) => found.places);
  }

  /** The file that counts for a level, or where one would be made. */
  file(level: 'user' | 'project'): string | undefined {
    const { file, places } = this.#found[level];
    return file ?? places[0];
  }

  /** Whether a plugin is on, and what is set for it. */
  plugin(id: string, level: Level): PluginConfig {
    if (!this.#now.spokenOf.has(id)) return usual;
    const { on, by } = switchOf(this.#state(), id, level);
    const failure = failureOf(this.#state(), id);
    return {
      state: on ? 'on' : 'off',
      ...(by === undefined ? {} : { by }),
      ...(failure === undefined ? {} : { failure }),
      ...spokenTo(this.#now.layers, id, level, this.#settings.ofPlugin(id)),
    };
  }

  /** The plugin's settings as its own schema reads them. In a keeper no bad value is forgiven. */
  configure<T>(
    id: string,
    level: Level,
    schema: Schema<T>,
    options: { readonly keeper?: boolean } = {},
  ): Configured<T> {
    const failure = failureOf(this.#state(), id);
    if (failure !== undefined) return { ok: false, problems: [{ key: `plugins.${id}`, message: failure }] };
    const speak = (without: Without) => spokenTo(this.#now.layers, id, level, this.#settings.ofPlugin(id), without);
    return configure(id, speak, schema, options.keeper === true, this.#goodOf(id));
  }

  /** Whether a provider's items of a level are taken. `on` is what holds when nobody says. */
  provider(id: string, level: Level, on = true): ProviderSwitch {
    return providerSwitch(this.#now.layers, id, level, on);
  }

  /** Whether an item, `skill:review`, is taken. */
  item(item: string, level: Level): Switch {
    return itemSwitch(this.#now.layers, item, level);
  }

  /** Keys that nobody reads. Ask when all plugins are known; without `providers` their ids are not judged. */
  unknown(plugins: Iterable<string>, providers?: Iterable<string>): readonly ConfigProblem[] {
    const ids = Array.from(plugins);
    const known = providers === undefined ? undefined : Array.from(providers);
    const layers = this.#now.layers.filter((layer) => layer.name !== 'environment');
    return shown(layers.flatMap((layer) => unknownKeys(layer, this.#settings, ids, known)));
  }

  /** Writes a value into the file of a level, and reads it back. Give a key in parts where the id of a plugin is not known yet. */
  write(level: 'user' | 'project', key: Key, value: unknown): Promise<Written & { readonly change: ConfigChange }> {
    return this.#inTurn(async () => ({
      ...(await writeIn(this.#place(level, key), value)),
      change: await this.#reload(),
    }));
  }

  /** Takes a value out of the file of a level. */
  unset(level: 'user' | 'project', key: Key): Promise<Written & { readonly change: ConfigChange }> {
    return this.#inTurn(async () => ({ ...(await unsetIn(this.#place(level, key))), change: await this.#reload() }));
  }

  /** Throws where the person's own file may not have this value. */
  check(key: Key, value: unknown): void {
    refuse(this.#place('user', key), value);
  }

  /** Takes a value for the person's own file: it counts at once, and stands there when `save` has written it. `undefined`: none. */
  draft(key: Key, value: unknown, by: 'user' | 'project' = 'user'): ConfigChange {
    const draft = this.#draftOf(key, value, by);
    pathToWrite(drafted(this.#found.user.root, this.#drafts), draft); // throws where it could not be written
    return this.#changing(() => {
      this.#drafts = [...this.#drafts.filter((other) => other.key !== draft.key), draft];
    });
  }

  /** Lets a value count for this process alone, above all layers. The answer is what ends it. */
  override(key: Key, value: unknown, by: 'user' | 'project' = 'user'): Draft {
    const draft = this.#draftOf(key, value, by);
    this.#changing(() => {
      this.#overrides = [...this.#overrides.filter((other) => other.key !== draft.key), draft];
    });
    return draft;
  }

  endOverride(draft: Draft): void {
    if (!this.#overrides.includes(draft)) return;
    this.#changing(() => {
      this.#overrides = this.#overrides.filter((other) => other !== draft);
    });
  }

  /** The keys that wait for being saved. */
  get drafts(): readonly string[] {
    return this.#drafts.map(({ key }) => key);
  }

  /** Writes the drafts into the person's own file, on top of what stands there by now. One that cannot be written keeps no other from it. */
  save(): Promise<void> {
    return this.#inTurn(async () => {
      const drafts = this.#drafts;
      const [together] = await Promise.allSettled([this.#write(drafts)]);
      if (together.status === 'fulfilled') return void (await this.#reload(drafts));
      const written: Draft[] = [];
      let failure: unknown = together.reason;
      for (const draft of drafts.length > 1 ? drafts : []) {
        const [alone] = await Promise.allSettled([this.#write([draft])]);
        if (alone.status === 'fulfilled') written.push(draft);
        else failure = alone.reason;
      }
      await this.#reload(written);
      if (written.length < drafts.length) throw failure;
    });
  }

  #write(drafts: readonly Draft[]): Promise<Written> {
    const { home, root } = this.#options;
    return editFile({ level: 'user', home, root, file: this.file('user') }, drafts);
  }

  /** Names that settings had in older versions, in the person's own file, become those of today. `today`: `2026-11-30`. */
  migrate(today: string): Promise<Migrated | undefined> {
    return this.#inTurn(async () => {
      const renames = this.#now.renames.get('user');
      const { file } = this.#found.user;
      if (renames === undefined || file === undefined) return undefined;
      const migrated = await migrateFile(file, this.#options.home, renames, today);
      await this.#reload();
      return migrated;
    });
  }

  /** Tells of every change of what the layers say; answers with the end of it. */
  onChange(listener: (change: ConfigChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #draftOf(key: Key, value: unknown, by: 'user' | 'project'): Draft {
    const place = this.#place(by, key);
    if (value !== undefined) refuse(place, value);
    else refuseForeign(place);
    return { key: place.key, target: place.target, value };
  }

  #goodOf(id: string): LastGood {
    const good = this.#goodSettings.get(id) ?? new Map();
    this.#goodSettings.set(id, good);
    return good;
  }

  #place(level: 'user' | 'project', key: Key): Place {
    const target = this.#target(key);
    const ids = idsOf(this.#state(), 'plugins');
    const { home, root } = this.#options;
    return {
      ...{ level, home, root, file: this.file(level) },
      key: keyText(key),
      target,
      settings: this.#settings,
      isKnown: target.kind !== 'plugin' || typeof key !== 'string' || ids.includes(target.id),
      isProjects: target.kind === 'plugin' && levelOf(this.#state(), target.id) === 'project',
      ids,
    };
  }

  /** `written`: drafts that stand in the file by now, and are none any more. */
  async #reload(written: readonly Draft[] = []): Promise<ConfigChange> {
    const { home, root } = this.#options;
    const [user, project, overlay] = await Promise.all([
      findConfig(home, userPlaces, this.#cache),
      root === undefined ? nothing : findConfig(root, placesOfProject(root, home), this.#cache),
      this.#overlay === undefined ? nothing : this.#readOverlay(this.#overlay),
    ]);
    return this.#changing(() => {
      this.#found = { user, project, overlay };
      this.#drafts = this.#drafts.filter((draft) => !written.includes(draft));
    });
  }

  /** The first time it has to be there. Later it may go for a moment, as when an editor puts another in its place. */
  async #readOverlay(file: string): Promise<Found> {
    try {
      return await loadOverlay(file, this.#cache);
    } catch (error) {
      const before = this.#found.overlay;
      if (before === nothing) throw error;
      return { ...before, problems: [{ message: `${messageOf(error)} What it said before stays in force.` }] };
    }
  }

  /** Works out what a change comes to, and tells of it. */
  #changing(change: () => void): ConfigChange {
    const before = fingerprints(this.#state());
    change();
    this.#stale();
    const after = fingerprints(this.#state());
    const keys = Array.from(new Set([...before.keys(), ...after.keys()])).filter(
      (key) => before.get(key) !== after.get(key),
    );
    const plugins = keys.flatMap((key) => (key.startsWith('plugins.') ? [key.slice('plugins.'.length)] : []));
    if (keys.length > 0) for (const listener of this.#listeners) listener({ keys, plugins });
    return { keys, plugins };
  }

  #stale(): void {
    this.#revision += 1;
    this.#worked = undefined;
  }

  get #now(): Worked {
    this.#worked ??= this.#settle();
    return this.#worked;
  }

  #settle(): Worked {
    const renamed = new Map<LayerName, readonly Rename[]>();
    const fileLayer = (name: 'user' | 'project' | 'overlay'): Layer => {
      const { file } = this.#found[name];
      const { root, renames } = withNewNames(this.#found[name].root, this.#settings.all());
      if (renames.length > 0) renamed.set(name, renames);
      return { name, root: name === 'user' ? drafted(root, this.#drafts) : root, ...(file && { file }) };
    };
    const files = [
      fileLayer('user'),
      fileLayer('project'),
      fileLayer('overlay'),
      environmentLayer(this.#settings.all(), this.#options.env ?? {}),
    ];
    const ids = idsOf({ settings: this.#settings, layers: files, known: this.#known }, 'plugins');
    let flags: MapNode = emptyMap;
    for (const [key, value] of Object.entries(this.#options.flags ?? {})) {
      if (value !== undefined) flags = withNode(flags, targetOf(key, this.#settings, () => ids).path, nodeOf(value));
    }
    const overrides = drafted(emptyMap, this.#overrides);
    const layers: Layer[] = [...files, { name: 'flags', root: flags }, { name: 'override', root: overrides }];
    const rows = this.#settings.all().filter((row) => row.path[0] !== 'plugins');
    const settled = new Map(rows.map((row) => [row.key, settle(row, layers, this.#good)]));
    const keepers = this.#settings.all().flatMap(({ keeper }) => (keeper === undefined ? [] : [keeper]));
    const spokenOf = new Set([...keepers, ...layers.flatMap((layer) => idsIn(layer.root, 'plugins'))]);
    return { layers, settled, renames: renamed, spokenOf };
  }

  #state(): ConfigState {
    const { layers, settled } = this.#now;
    return {
      settings: this.#settings,
      layers,
      settled,
      known: this.#known,
      needed: this.#options.needed ?? [],
      good: (id) => this.#goodOf(id),
      personal: [this.#found.user, this.#found.overlay],
    };
  }

  #target(key: Key): Target {
    return targetOf(key, this.#settings, () => idsOf(this.#state(), 'plugins'));
  }

  /** Reading and writing take turns, so that no write is based on half of a reload. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work, work);
    this.#queue = turn.catch(() => undefined); // told to the caller of that turn
    return turn;
  }
}
