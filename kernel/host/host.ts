import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import type { PluginUnit } from '../activation.ts';
import type { Level } from '../capability.ts';
import { KernError } from '../error.ts';
import { builtinKey, type ChangeResult, type Kernel, unitKey } from '../kernel.ts';
import type { PluginDefinition, TrustItem, TrustState } from '../plugin.ts';
import type { Trust } from '../trust/trust.ts';
import type { Loader } from './load.ts';
import { LoadError } from './load-error.ts';
import { locateExtensions } from './locate.ts';
import type { WatchHub } from './watch-hub.ts';

/** A folder in which extensions are looked for. */
export interface ExtensionFolder {
  readonly path: string;
  readonly level: 'user' | 'project';
  /** Of a project. */
  readonly root?: string;
}

/** Where an extension stands, before anything of it ran. */
export interface Place {
  readonly entry: string;
  /** Its folder, or for a single file the folder it stands in. */
  readonly folder: string;
  readonly level: Level;
  readonly root?: string;
  /** What trust and messages call it until its id is known: of a project its path in it, else the name of its file or folder. */
  readonly name: string;
}

export type PlaceState =
  | { readonly state: 'new' }
  | { readonly state: 'loaded'; readonly key: string }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'blocked'; readonly trust: Exclude<TrustState, 'trusted'>; readonly wasLive: boolean };

interface Slot {
  readonly place: Place;
  /** The key it was last live under; stays while it is failed or blocked. */
  key: string | undefined;
  revision: number;
  status: PlaceState;
  files: readonly string[];
  missing: readonly string[];
  absence: (() => void) | undefined;
}

export interface HostOptions {
  readonly kernel: Kernel;
  readonly loader: () => Loader;
  readonly watch: WatchHub;
  readonly trust: Trust;
  readonly folders: readonly ExtensionFolder[];
  /** `-e`: the person's word. Paths of files or folders. */
  readonly explicit: readonly string[];
}

const absenceMs = 1_000;
const bootLimitMs = 3_000;

/** Finds extensions, asks the gate, loads them, and takes every edit live. */
export class Host {
  readonly #options: HostOptions;
  readonly #slots = new Map<string, Slot>();
  /** Problems of files that are no extension, by path. */
  readonly #problems = new Map<string, string>();
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Loads everything there is. One that fails stops none of the others. */
  async start(): Promise<void> {
    const explicit = this.#options.explicit.map((path) => explicitPlace(path));
    const found = await this.#locate();
    const places = [...explicit, ...found];
    const slots = places.filter((place) => !this.#slots.has(place.entry)).map((place) => this.#open(place));
    await this.#loadInOrder(slots);
    for (const folder of this.#options.folders)
      this.#options.watch.watch(`folder:${folder.path}`, [folder.path], () => void this.#later(() => this.#sync()));
  }

  /** What it knows of each place, for `kern plugins` and the gate. */
  get places(): readonly {
    readonly place: Place;
    readonly status: PlaceState;
    readonly key: string | undefined;
    readonly revision: number;
    readonly files: readonly string[];
  }[] {
    return [...this.#slots.values()].map(({ place, status, key, revision, files }) => ({
      place,
      status,
      key,
      revision,
      files,
    }));
  }

  get problems(): ReadonlyMap<string, string> {
    return this.#problems;
  }

  /** A built-in that runs from its sources: loaded like any other, watched, and swapped. */
  async builtin(id: string, entry: string): Promise<PluginDefinition> {
    const slot = this.#open({ entry, folder: dirname(entry), level: 'builtin', name: id });
    const definition = await this.#read(slot);
    slot.key = builtinKey(id);
    slot.status = { state: 'loaded', key: slot.key };
    return definition;
  }

  /** Tries what is blocked again: something was granted, or taken away. */
  async recheck(): Promise<void> {
    await this.#later(async () => {
      await this.#loadInOrder([...this.#slots.values()].filter((slot) => slot.status.state === 'blocked'));
    });
  }

  async #locate(): Promise<readonly Place[]> {
    this.#problems.clear();
    const located = await Promise.all(
      this.#options.folders.map(async ({ path, level, root }): Promise<readonly Place[]> => {
        const { found, problems } = await locateExtensions(path);
        for (const problem of problems) this.#problems.set(problem.path, problem.message);
        return found.map(({ entry, root: folder }) => ({
          entry,
          folder,
          level,
          name: root === undefined ? nameOf(entry, folder, path) : relative(root, entry).split(sep).join('/'),
          ...(root === undefined ? {} : { root }),
        }));
      }),
    );
    return located.flat();
  }

  #open(place: Place): Slot {
    const slot: Slot = {
      place,
      key: undefined,
      revision: 0,
      status: { state: 'new' },
      files: [place.entry],
      missing: [],
      absence: undefined,
    };
    this.#slots.set(place.entry, slot);
    return slot;
  }

  /** Reads all, then makes one change each, what is required first. */
  async #loadInOrder(slots: readonly Slot[]): Promise<void> {
    const read = await Promise.all(slots.map(async (slot) => ({ slot, definition: await this.#tryRead(slot) })));
    let waiting = read.flatMap(({ slot, definition }) => (definition === undefined ? [] : [{ slot, definition }]));
    for (let progress = true; progress && waiting.length > 0; ) {
      progress = false;
      const ids = new Set(waiting.map(({ definition }) => definition.id));
      const ready = waiting.filter(
        ({ definition }) => !(definition.requires ?? []).some((id) => id !== definition.id && ids.has(id)),
      );
      // A circle has no first: each is tried as it is, and says why it fails.
      const next = ready.length > 0 ? ready : waiting;
      for (const { slot, definition } of next) await this.#put(slot, definition);
      waiting = waiting.filter((one) => !next.includes(one));
      progress = true;
    }
  }

  async #tryRead(slot: Slot): Promise<PluginDefinition | undefined> {
    const { place } = slot;
    try {
      const trust = place.level === 'project' ? await this.#options.trust.gate.check(trustItemOf(place)) : 'trusted';
      if (trust !== 'trusted') {
        this.#block(slot, trust);
        return undefined;
      }
      const seal = place.level === 'project' ? await this.#options.trust.seal(trustItemOf(place)) : undefined;
      return await this.#read(slot, seal);
    } catch (error) {
      this.#fail(slot, error);
      return undefined;
    }
  }

  async #read(slot: Slot, seal?: ReadonlyMap<string, string>): Promise<PluginDefinition> {
    const { place } = slot;
    slot.revision += 1;
    const { root } = this.#options.trust;
    // What the gate looked at and what runs must be the same bytes, imports that no scan foresees included.
    const admit = (file: string, hash: string): void => {
      if (seal === undefined || seal.get(file) === hash || !file.startsWith(root + sep)) return;
      throw new KernError('file_untrusted', `${file} is not part of what was trusted for ${place.name}`, {
        hint: 'look at it, then run `kern trust grant`',
      });
    };
    try {
      const loaded = await this.#options
        .loader()
        .load(place.entry, {
          root: place.folder,
          admit,
          onLateFile: (file, hash) => this.#follow(slot, [...slot.files, file], slot.missing, new Map([[file, hash]])),
        });
      // A built-in's contract and helpers of other rooms reload their owners, not everyone who imports them.
      const files =
        place.level === 'builtin' ? loaded.files.filter((file) => !loaded.outside.includes(file)) : loaded.files;
      this.#follow(slot, [place.entry, ...files], loaded.missing, loaded.contents);
      return definitionOf(loaded.exports, place.entry);
    } catch (error) {
      if (error instanceof LoadError)
        this.#follow(slot, [place.entry, ...slot.files, ...error.files], error.missing, error.contents);
      throw error;
    }
  }

  async #put(slot: Slot, definition: PluginDefinition): Promise<ChangeResult> {
    const { place } = slot;
    const key = place.level === 'builtin' ? builtinKey(definition.id) : unitKey(place.level, place.root, definition.id);
    const unit: PluginUnit = {
      key,
      level: place.level,
      source: place.level === 'builtin' ? 'built-in' : place.entry,
      definition,
      revision: slot.revision,
      files: slot.files,
      ...(place.root === undefined ? {} : { root: place.root }),
    };
    // A file that now holds another id is another plugin: the old one goes with the same change.
    const drop = slot.key !== undefined && slot.key !== key ? [slot.key] : [];
    const result = await this.#options.kernel.change({ put: [unit], drop, limitMs: bootLimitMs });
    if (result.ok) {
      if (slot.key !== undefined && slot.key !== key) this.#options.kernel.forgetFailure(slot.key);
      slot.key = key;
      slot.status = { state: 'loaded', key };
      this.#options.kernel.forgetFailure(placeKey(place));
    } else slot.status = { state: 'failed', error: result.error };
    return result;
  }

  #fail(slot: Slot, error: unknown): void {
    slot.status = { state: 'failed', error };
    this.#options.kernel.recordFailure(this.#failing(slot), error);
  }

  #block(slot: Slot, trust: Exclude<TrustState, 'trusted'>): void {
    const wasLive = slot.key !== undefined && this.#options.kernel.active(slot.key) !== undefined;
    slot.status = { state: 'blocked', trust, wasLive };
    const { name, entry } = slot.place;
    const why = trust === 'changed' ? 'its content is no longer what was trusted' : 'this project is not trusted';
    const { kernel } = this.#options;
    kernel.journal.add(
      this.#failing(slot).id,
      'warning',
      wasLive ? 'kept_old' : 'blocked',
      wasLive ? `kept the old: ${entry}: ${why}` : `${name} is blocked: ${why}`,
    );
    kernel.announce({
      id: this.#failing(slot).id,
      state: wasLive ? 'kept' : 'blocked',
      revision: slot.revision,
      reason: why,
      file: entry,
    });
  }

  #failing({ place, key, revision }: Slot): {
    key: string;
    id: string;
    level: Level;
    source: string;
    revision: number;
  } {
    const id = key === undefined ? place.name : (key.split(':').at(-1) ?? place.name);
    return { key: key ?? placeKey(place), id, level: place.level, source: place.entry, revision };
  }

  #follow(
    slot: Slot,
    files: readonly string[],
    missing: readonly string[],
    contents: ReadonlyMap<string, string>,
  ): void {
    slot.files = [...new Set(files)];
    slot.missing = missing;
    this.#options.watch.watch(
      `plugin:${slot.place.entry}`,
      [...slot.files, ...slot.missing],
      () => void this.#later(() => this.#reload(slot)),
      contents,
    );
  }

  /** One after the other, and counted, so that a turn waits for it. */
  #later(fn: () => Promise<void>): Promise<void> {
    const done = this.#work.then(fn);
    this.#work = done.catch(() => {});
    return this.#options.watch.during(done);
  }

  async #reload(slot: Slot): Promise<void> {
    if (this.#slots.get(slot.place.entry) !== slot) return;
    if (!existsSync(slot.place.entry)) return this.#missing(slot);
    slot.absence?.();
    slot.absence = undefined;
    const definition = await this.#tryRead(slot);
    if (definition !== undefined) await this.#put(slot, definition);
  }

  /** A file that is written anew is away for a moment: only after a second it is gone. */
  #missing(slot: Slot): void {
    slot.absence ??= this.#options.kernel.clock.after(absenceMs, () => {
      slot.absence = undefined;
      if (!existsSync(slot.place.entry)) void this.#later(() => this.#unload(slot));
      else void this.#later(() => this.#reload(slot));
    });
  }

  async #unload(slot: Slot): Promise<void> {
    this.#slots.delete(slot.place.entry);
    this.#options.watch.unwatch(`plugin:${slot.place.entry}`);
    if (slot.key !== undefined) await this.#options.kernel.change({ drop: [slot.key] });
    this.#options.kernel.forgetFailure(slot.key ?? placeKey(slot.place));
  }

  /** An extension folder changed: what is new is loaded, what is gone goes after a second. */
  async #sync(): Promise<void> {
    const places = await this.#locate();
    const fresh = places.filter((place) => !this.#slots.has(place.entry));
    for (const slot of this.#slots.values()) {
      const listed =
        slot.place.level === 'session' ||
        slot.place.level === 'builtin' ||
        places.some((place) => place.entry === slot.place.entry);
      if (!listed) this.#missing(slot);
    }
    await this.#loadInOrder(fresh.map((place) => this.#open(place)));
  }

  close(): void {
    for (const slot of this.#slots.values()) slot.absence?.();
  }
}

const placeKey = (place: Place): string => `place:${place.entry}`;

/** How a project's plugin is presented to the gate. */
export function trustItemOf(place: Place): TrustItem {
  return { kind: 'plugin', id: place.name, path: place.entry };
}

/** `weather.ts` and `weather/index.ts` are both `weather`. */
function nameOf(entry: string, folder: string, extensions: string): string {
  const own = resolve(folder) === resolve(extensions) ? basename(entry, extname(entry)) : basename(folder);
  return own;
}

function explicitPlace(path: string): Place {
  const absolute = resolve(path);
  if (!existsSync(absolute))
    throw new KernError('extension_missing', `-e ${path}: there is no such file or folder`, {
      hint: 'give the path of an extension file or of its folder',
    });
  const real = realpathSync(absolute);
  if (!statSync(real).isDirectory())
    return { entry: real, folder: dirname(real), level: 'session', name: basename(real, extname(real)) };
  const entry = ['index.ts', 'index.js', 'index.mts', 'index.mjs']
    .map((file) => join(real, file))
    .find((file) => existsSync(file));
  if (entry === undefined)
    throw new KernError('extension_missing', `-e ${path}: the folder has no index.ts or index.js`, {
      hint: 'give the path of the entry file',
    });
  return { entry, folder: real, level: 'session', name: basename(real) };
}

function definitionOf(exports: unknown, file: string): PluginDefinition {
  if (typeof exports === 'object' && exports !== null && 'id' in exports && 'setup' in exports) {
    const { id, setup } = exports;
    if (typeof setup !== 'function')
      throw new KernError('plugin_no_setup', `${file}: setup is no function`, {
        hint: 'export default definePlugin({ id, setup(ctx) { … } })',
      });
    if (typeof id !== 'string' || !/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(id))
      throw new KernError('plugin_bad_id', `${file}: the id ${JSON.stringify(id)} is none`, {
        hint: 'letters, digits, dots, dashes and _, at most 64',
      });
    return exports as PluginDefinition;
  }
  throw new KernError('plugin_no_default', `${file} has no plugin as its default export`, {
    hint: "export default definePlugin({ id: '…', setup(ctx) { … } })",
  });
}
