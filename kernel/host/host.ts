import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LoadTimes } from '../cost.ts';
import { KernError, messageOf } from '../error.ts';
import { builtinKey, type Kernel } from '../kernel.ts';
import type { PluginDefinition, TrustState } from '../plugin.ts';
import type { Trust } from '../trust/trust.ts';
import { brokenPromises, manifestForSleep, sleeperOf, type WholeManifest } from './lazy.ts';
import type { Loader } from './load.ts';
import {
  builtinPlace,
  type ExtensionFolder,
  explicitPlaces,
  foundIn,
  nextVersion,
  type Place,
  type PlaceState,
  trustItemOf,
} from './place.ts';
import { type Adopt, Reader, wasRefused } from './reader.ts';
import { idTaken, isFound, isLeaving, isThere, keyOf, newSlot, type Slot, unitOf, whoIs, whyBlocked } from './slot.ts';
import { tellBlocked } from './tell-blocked.ts';
import { Unread } from './unread.ts';
import type { WatchHub } from './watch-hub.ts';

export type { ExtensionFolder, Place, PlaceState } from './place.ts';
export type { Adopt, Factory } from './reader.ts';

export interface HostOptions {
  readonly kernel: Kernel;
  readonly loader: () => Loader;
  readonly watch: WatchHub;
  readonly trust: Trust;
  readonly folders: readonly ExtensionFolder[];
  /** `-e`: the person's word. Paths of files or folders. */
  readonly explicit: readonly string[];
  /** Makes a plugin of a default export that is a function. */
  readonly adopt?: Adopt;
  /** Extensions that are found otherwise: in the folders of other agents. Asked each time anything is looked for. */
  readonly others?: () => Promise<readonly Place[]>;
}

/** What the host knows of a place. */
export type FoundPlace = Readonly<Pick<Slot, 'place' | 'status' | 'key' | 'revision' | 'files'>>;

type Blocked = Extract<PlaceState, { state: 'blocked' }>;

const absenceMs = 1_000;
/** For loading, and for each step of setting up. */
const limitMs = 3_000;

/** Finds extensions, asks the gate, loads them, and takes every edit live. */
export class Host {
  readonly #options: HostOptions;
  readonly #reader: Reader;
  readonly #slots = new Map<string, Slot>();
  readonly #loadTimes = new LoadTimes();
  readonly #unread: Unread;
  /** Problems of files that are no extension, by path. */
  #problems: ReadonlyMap<string, string> = new Map();
  /** Where no change is under way and nobody's code runs, whoever calls. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #work: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: HostOptions) {
    const { loader, trust, kernel, adopt } = options;
    this.#options = options;
    this.#unread = new Unread(kernel);
    this.#reader = new Reader({ loader, trust, clock: kernel.clock, limitMs, adopt });
  }

  /** Loads everything there is. One that fails stops none of the others. */
  async start(): Promise<void> {
    for (const folder of this.#options.folders)
      this.#options.watch.watch(`folder:${folder.path}`, [folder.path], () => this.#soon(() => this.#sync()));
    await this.#later(async () => {
      const explicit = await Promise.all(this.#options.explicit.map(explicitPlaces));
      for (const place of explicit.flat()) if (!this.#slots.has(place.entry)) this.#open(place);
      for (const place of await this.#locate()) if (!this.#slots.has(place.entry)) this.#open(place);
      await this.#loadInOrder([...this.#slots.values()].filter(({ place }) => place.level !== 'builtin'));
    });
  }

  /** What it knows of each place, for `kern plugins` and the gate. */
  get places(): readonly FoundPlace[] {
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
    const slot = this.#slots.get(entry) ?? this.#open(builtinPlace(id, entry));
    slot.key = builtinKey(id);
    return this.#reading(slot);
  }

  /** Looks again at what the gate let in and what it did not: something was granted, or taken away. */
  recheck(): Promise<void> {
    return this.#later(async () => {
      const slots = [...this.#slots.values()].filter(({ place }) => place.level === 'project');
      const shut = slots.filter(
        ({ status }) => status.state === 'blocked' || (status.state === 'failed' && wasRefused(status.error)),
      );
      for (const slot of slots) {
        if (shut.includes(slot)) continue;
        const trust = await this.#ask(slot.place);
        if (trust !== 'trusted') await this.#block(slot, trust);
      }
      await this.#loadInOrder(shut);
    });
  }

  /** Looks for what came and went while nobody watched, and tries again what was refused because of others. */
  catchUp(): Promise<void> {
    return this.#later(async () => {
      await this.#sync();
      await this.#reconsider();
    });
  }

  /** Loads every extension anew, whether its files changed or not; one that fails keeps its old version. */
  reload(): Promise<void> {
    return this.#later(async () => {
      await this.#sync();
      await this.#loadInOrder([...this.#slots.values()].filter(({ place }) => place.level !== 'builtin'));
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const slot of this.#slots.values()) slot.leaving?.();
  }

  async #locate(): Promise<readonly Place[]> {
    const named = [...this.#slots.values()].flatMap(({ place }) => (place.level === 'session' ? [place.entry] : []));
    const { places, problems } = await foundIn(this.#options.folders, named, this.#options.others);
    this.#problems = problems;
    this.#unread.tell(problems, this.#slots.values());
    return places;
  }

  #open(place: Place): Slot {
    const slot = newSlot(place);
    this.#slots.set(place.entry, slot);
    return slot;
  }

  /** An extension folder changed: what is new is loaded, what is gone goes after a second. */
  async #sync(): Promise<void> {
    const places = await this.#locate();
    const listed = new Map(places.map((place) => [place.entry, place]));
    for (const slot of [...this.#slots.values()].filter(isFound)) {
      const place = listed.get(slot.place.entry);
      const next = place ?? nextVersion(slot.place, places);
      if (next === undefined && this.#unread.holds(slot)) continue;
      if (next === undefined) this.#missing(slot);
      else if (place === undefined) {
        // The same extension in another place: if it does not load there, what runs goes on.
        this.#forget(slot);
        this.#slots.set(next.entry, Object.assign(slot, { place: next, sleeper: undefined }));
        await this.#loadInOrder([slot]);
      } else if (JSON.stringify(place.manifest) !== JSON.stringify(slot.place.manifest)) {
        const isOpen = slot.key === undefined || slot.sleeper !== undefined;
        slot.place = place;
        slot.sleeper = undefined;
        if (isOpen) await this.#loadInOrder([slot]);
      } else slot.place = place;
    }
    await this.#loadInOrder(places.filter(({ entry }) => !this.#slots.has(entry)).map((place) => this.#open(place)));
  }

  async #isListed(slot: Slot): Promise<boolean> {
    if (!existsSync(slot.place.entry)) return false;
    return !isFound(slot) || (await this.#locate()).some(({ entry }) => entry === slot.place.entry);
  }

  /** A file that is written anew is away for a moment: only after a second it is gone. */
  #missing(slot: Slot): void {
    slot.leaving ??= this.#options.kernel.clock.after(absenceMs, () =>
      this.#soon(async () => {
        slot.leaving = undefined;
        if (await this.#isListed(slot)) await this.#reload(slot);
        else await this.#unload(slot);
      }),
    );
  }

  async #unload(slot: Slot): Promise<void> {
    if (this.#slots.get(slot.place.entry) !== slot) return;
    if (isFound(slot)) this.#forget(slot);
    await this.#drop(slot);
    this.#forgetFailure(slot);
    await this.#reconsider();
  }

  #forget(slot: Slot): void {
    slot.leaving?.();
    slot.leaving = undefined;
    this.#slots.delete(slot.place.entry);
    this.#options.watch.unwatch(`plugin:${slot.place.entry}`);
  }

  async #drop(slot: Slot): Promise<void> {
    const { key } = slot;
    slot.key = undefined;
    slot.sleeper = undefined;
    slot.refused = undefined;
    slot.status = { state: 'new' };
    if (key !== undefined) await this.#options.kernel.change({ drop: [key] });
  }

  // --- From a place to a plugin ----------------------------------------------------------------------------------

  /** Reads all, then makes one change each, what is required first. */
  async #loadInOrder(slots: readonly Slot[]): Promise<void> {
    if (slots.length === 0) return;
    const read = await Promise.all(slots.map(async (slot) => ({ slot, definition: await this.#prepare(slot) })));
    let waiting = read.flatMap(({ slot, definition }) => (definition === undefined ? [] : [{ slot, definition }]));
    while (waiting.length > 0) {
      const ids = new Set(waiting.map(({ definition }) => definition.id));
      const ready = waiting.filter(
        ({ definition }) => !(definition.requires ?? []).some((id) => id !== definition.id && ids.has(id)),
      );
      // A circle has no first: each is tried as it is, and says why it fails.
      const next = ready.length > 0 ? ready : waiting;
      for (const { slot, definition } of next) await this.#put(slot, definition);
      waiting = waiting.filter((one) => !next.includes(one));
    }
    await this.#reconsider();
  }

  async #reload(slot: Slot): Promise<void> {
    const { entry } = slot.place;
    if (this.#slots.get(entry) !== slot) return;
    if (!existsSync(entry)) return this.#missing(slot);
    if (slot.leaving !== undefined && !(await this.#isListed(slot))) return;
    slot.leaving?.();
    slot.leaving = undefined;
    // It is read anew when it wakes.
    if (slot.place.level === 'builtin' && this.#isAsleep(slot)) return;
    await this.#loadInOrder([slot]);
  }

  #isAsleep({ place }: Slot): boolean {
    return this.#options.kernel.sleeping.some(
      ({ id, level = 'builtin' }) => level === place.level && id === place.name,
    );
  }

  /** What is to be set up; nothing where it may not run, failed, or sleeps until it is used. */
  async #prepare(slot: Slot): Promise<PluginDefinition | undefined> {
    try {
      if (slot.place.isHollow === true) await slot.place.check?.();
      const trust = await this.#ask(slot.place);
      if (trust !== 'trusted') {
        await this.#block(slot, trust);
        return undefined;
      }
      const manifest = manifestForSleep(slot.place);
      if (manifest !== undefined && !slot.isWanted && (await this.#layDown(slot, manifest))) return undefined;
      return await this.#reading(slot);
    } catch (error) {
      this.#fail(slot, error);
      return undefined;
    }
  }

  async #ask(place: Place): Promise<TrustState> {
    return place.level === 'project' ? this.#options.trust.gate.check(trustItemOf(place)) : 'trusted';
  }

  async #reading(slot: Slot): Promise<PluginDefinition> {
    const { place } = slot;
    await place.check?.();
    slot.revision += 1;
    const loaded = this.#loadTimes.begin();
    const read = await this.#reader.read(place, (file, hash) => {
      if (this.#slots.get(place.entry) === slot)
        this.#follow(slot, [...slot.files, file], slot.missing, new Map([[file, hash]]));
    });
    slot.loadMs = loaded();
    const { files, missing, contents } = read.seen ?? {
      files: [place.entry],
      missing: slot.missing,
      contents: new Map(),
    };
    // What failed may need what the version before it was made of.
    this.#follow(slot, read.state === 'read' ? files : [...slot.files, ...files], missing, contents);
    if (read.state === 'failed') throw read.error;
    if (place.level === 'builtin') slot.status = { state: 'loaded', key: builtinKey(read.definition.id) };
    return read.definition;
  }

  async #put(slot: Slot, definition: PluginDefinition): Promise<boolean> {
    const { kernel } = this.#options;
    const { place } = slot;
    const key = keyOf(place, definition.id);
    const holder = this.#holderOf(key, slot);
    if (holder !== undefined && !isLeaving(holder)) {
      this.#fail(slot, idTaken(definition.id, place, holder.place));
      slot.refused = definition;
      return false;
    }
    // A file that now holds another id is another plugin, and a renamed file the same: the old goes with the same change.
    const isElsewhere = holder !== undefined || place.same !== undefined;
    const drop = [slot.key, holder?.key].filter((old) => old !== undefined && (old !== key || isElsewhere));
    const result = await kernel.change({ put: [unitOf(slot, definition)], drop: drop as string[], limitMs });
    const isForOthers = !result.ok && ['requirement_missing', 'requirement_cycle'].includes(result.code);
    slot.refused = isForOthers ? definition : undefined;
    if (!result.ok) {
      slot.status = { state: 'failed', error: result.error };
      // The kernel has booked it on the new id, and does not know that this file was another plugin.
      if (slot.key !== undefined && slot.key !== key && kernel.active(slot.key) !== undefined) {
        kernel.forgetFailure(key);
        this.#fail(slot, result.error);
        slot.refused = isForOthers ? definition : undefined;
      } else this.#failedAs(slot, key);
      return false;
    }
    if (holder !== undefined) this.#forget(holder);
    this.#forgetFailure(slot);
    slot.key = key;
    slot.sleeper = undefined;
    slot.status = { state: 'loaded', key };
    return true;
  }

  /** The other place whose plugin has this key. */
  #holderOf(key: string, slot: Slot): Slot | undefined {
    return [...this.#slots.values()].find((other) => other !== slot && other.key === key);
  }

  /** Others changed: what was refused because of them may join now. */
  async #reconsider(): Promise<void> {
    const mayJoin = (slot: Slot): boolean => {
      if (slot.refused === undefined) return false;
      const holder = this.#holderOf(keyOf(slot.place, slot.refused.id), slot);
      if (holder !== undefined && !isLeaving(holder)) return false;
      const snapshot = this.#options.kernel.snapshot();
      return (slot.refused.requires ?? []).every((id) => isThere(id, slot.place, snapshot));
    };
    for (let joined = true; joined; ) {
      joined = false;
      for (const slot of [...this.#slots.values()].filter(mayJoin))
        if (slot.refused !== undefined && (await this.#put(slot, slot.refused))) joined = true;
    }
  }

  // --- Sleep -----------------------------------------------------------------------------------------------------

  /** Makes a plugin known by its manifest, without running anything of it. Answers whether it sleeps. */
  async #layDown(slot: Slot, manifest: WholeManifest): Promise<boolean> {
    const { kernel } = this.#options;
    const key = keyOf(slot.place, manifest.id);
    if (slot.sleeper !== undefined && slot.key === key) return true;
    const holder = this.#holderOf(key, slot);
    if (holder !== undefined) {
      if (!isLeaving(holder)) throw idTaken(manifest.id, slot.place, holder.place);
      this.#forget(holder);
      await this.#drop(holder);
    }
    if (slot.key !== undefined && slot.key !== key) await this.#drop(slot);
    const sleeper = sleeperOf(slot.place, manifest, () => this.#wake(slot, manifest));
    try {
      kernel.introduce([sleeper]);
    } catch {
      return false; // it says why when it is loaded, and may replace what it seems to clash with
    }
    this.#forgetFailure(slot);
    slot.key = key;
    slot.sleeper = sleeper;
    slot.status = { state: 'new' };
    this.#follow(slot, [slot.place.entry], [], new Map());
    return true;
  }

  /** In the middle of the change that wakes it. */
  async #wake(slot: Slot, manifest: WholeManifest): Promise<PluginDefinition> {
    const trust = await this.#ask(slot.place);
    if (trust !== 'trusted') {
      this.#soon(() => this.#block(slot, trust));
      throw new KernError('untrusted', `${slot.place.entry} does not run: ${whyBlocked(trust)}`, {
        hint: 'look at it, then run `kern trust grant`',
      });
    }
    slot.isWanted = true;
    slot.status = { state: 'new' };
    try {
      const definition = await this.#reading(slot);
      this.#soon(() => this.#awake(slot, manifest));
      return definition;
    } catch (error) {
      slot.status = { state: 'failed', error };
      this.#failedAs(slot, slot.key);
      throw error;
    }
  }

  /** After the change that woke it: whether it came, and whether it is what its manifest says. */
  async #awake(slot: Slot, manifest: WholeManifest): Promise<void> {
    const { kernel } = this.#options;
    // Stands behind that change in the queue.
    await kernel.change({});
    const key = keyOf(slot.place, manifest.id);
    if (slot.key !== key || slot.status.state !== 'new') return;
    const activation = kernel.active(key);
    if (activation === undefined) {
      this.#failedAs(slot, key);
      const failure = kernel.failures.get(key);
      if (failure !== undefined) slot.status = { state: 'failed', error: new KernError(failure.code, failure.message) };
      return;
    }
    slot.sleeper = undefined;
    slot.status = { state: 'loaded', key };
    const broken = brokenPromises(manifest, activation);
    if (broken.length === 0) return;
    kernel.journal.add(
      manifest.id,
      'warning',
      'manifest_broken',
      `plugin ${manifest.id} brings ${broken.join(', ')}, which its manifest does not say: it is not found while the plugin sleeps (${join(slot.place.folder, 'package.json')})`,
    );
  }

  // --- What goes wrong -------------------------------------------------------------------------------------------

  #fail(slot: Slot, error: unknown): void {
    const who = whoIs(slot);
    this.#failedAs(slot, who.key);
    slot.status = { state: 'failed', error };
    slot.refused = undefined;
    this.#options.kernel.recordFailure(who, error);
  }

  /** A file has one failure, even when its id changes. */
  #failedAs(slot: Slot, key: string | undefined): void {
    if (slot.failedKey !== undefined && slot.failedKey !== key) this.#options.kernel.forgetFailure(slot.failedKey);
    slot.failedKey = key;
  }

  #forgetFailure(slot: Slot): void {
    this.#failedAs(slot, undefined);
  }

  /** Keeps the old version of what only changed; takes away what a person no longer trusts. */
  async #block(slot: Slot, trust: Blocked['trust']): Promise<void> {
    const { kernel, trust: gate } = this.#options;
    const before = slot.status;
    const isLive = slot.key !== undefined && kernel.active(slot.key) !== undefined;
    const reason = await gate.why(trustItemOf(slot.place));
    const isRevoked = trust === 'untrusted' && (reason.denied === true || reason.at === undefined);
    const wasLive = isLive && !isRevoked;
    const told = tellBlocked(kernel, slot, trust, wasLive);
    if (!wasLive) await this.#drop(slot);
    this.#forgetFailure(slot);
    slot.status = { state: 'blocked', trust, wasLive };
    const covered = await gate.files(trustItemOf(slot.place)).catch(() => []); // what cannot be told cannot be watched
    this.#follow(slot, [slot.place.entry, ...slot.files, ...covered], slot.missing, new Map());
    if (before.state === 'blocked' && before.trust === trust && before.wasLive === wasLive) return;
    told();
  }

  // --- Watching --------------------------------------------------------------------------------------------------

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
      () => this.#soon(() => this.#reload(slot)),
      contents,
    );
  }

  #soon(fn: () => Promise<void>): void {
    this.#later(fn).catch((error: unknown) =>
      this.#options.kernel.journal.add('kern', 'error', 'host_failed', messageOf(error), error),
    );
  }

  /** One after the other, and counted, so that a turn waits for it. */
  #later(fn: () => Promise<void>): Promise<void> {
    return this.#outside(() => {
      const done = this.#work.then(() => (this.#isClosed ? undefined : fn()));
      this.#work = done.catch(() => {});
      return this.#options.watch.during(done);
    });
  }
}
