import type { Activation } from './activation.ts';
import type { Capability, Entry, Service, Where } from './capability.ts';
import type { Core, Owned } from './core.ts';
import { KernError, PluginError } from './error.ts';
import type { CallResult, Hook, HookKind } from './hook.ts';
import { freezeDeep, freezeTop } from './hooks.ts';
import type { EntriesOptions, Group, Handle, HookToken, Reader, View } from './plugin.ts';
import { parse } from './schema.ts';
import type { SessionHandle, Ui } from './session.ts';
import { declaredCapability, declaredHook, keyOf, type Snapshot } from './snapshot.ts';
import { type Candidate, merge, type Table } from './table.ts';

interface OwnGroup {
  readonly capability: Capability<unknown>;
  readonly name: string;
  readonly items: readonly unknown[];
  readonly record: { withdrawn: boolean };
}

interface Mask {
  readonly capability: string;
  readonly hide: (entry: Entry<never>) => string | undefined;
}

/** What belongs to one view and is shared with what is pinned from it. */
interface Own {
  groups: readonly OwnGroup[];
  masks: readonly Mask[];
  version: number;
}

/** A snapshot seen from one place: the current one, or for a pinned view always the same. */
export class SnapshotView implements View {
  readonly where: Where;
  readonly pinned: boolean;
  readonly #core: Core;
  readonly #fixed: Snapshot | undefined;
  readonly #parent: SnapshotView | undefined;
  readonly #own: Own;
  readonly #release: () => void;
  #session: SessionHandle | undefined;
  #ui: Ui;
  #tables = new Map<string, Table>();
  #tablesFor: { snapshot: Snapshot; version: number; settings: number } | undefined;

  constructor(core: Core, where: Where, ui: Ui, from?: { readonly parent: SnapshotView; readonly snapshot: Snapshot; readonly release: () => void }) {
    this.#core = core;
    this.where = where;
    this.#ui = ui;
    this.pinned = from !== undefined;
    this.#fixed = from?.snapshot;
    this.#parent = from?.parent;
    this.#release = from?.release ?? (() => {});
    this.#own = from === undefined ? { groups: [], masks: [], version: 0 } : { ...from.parent.#own };
  }

  get session(): SessionHandle | undefined {
    return this.#parent === undefined ? this.#session : this.#parent.session;
  }

  set session(session: SessionHandle | undefined) {
    if (this.#parent === undefined) this.#session = session;
    else this.#parent.session = session;
  }

  get ui(): Ui {
    return this.#parent === undefined ? this.#ui : this.#parent.ui;
  }

  set ui(ui: Ui) {
    if (this.#parent === undefined) this.#ui = ui;
    else this.#parent.ui = ui;
  }

  #snapshot(): Snapshot {
    return this.#fixed ?? this.#core.snapshot();
  }

  use<T>(capability: Capability<T>): Reader<T> {
    return {
      load: (signal) => this.#load(capability.id, signal),
      items: () => this.#table(capability).items,
      entries: (options) => select(this.#table(capability).entries, options),
      get: (key) => this.#table(capability).winners.get(key),
    };
  }

  service<T extends object>(token: Service<T>): T {
    const entry = this.#table(token).winners.get(token.id);
    if (entry !== undefined) return entry.item;
    const idle = this.#snapshot().idle.some((plugin) => token.id in plugin.contributes);
    throw new KernError('service_missing', `service ${token.id} is not there${idle ? ' yet' : ''}`, {
      hint: idle ? 'its plugin sleeps: await ctx.use(token).load() first' : `no plugin supplies ${token.id}; \`kern plugins --why\` shows what is loaded`,
    });
  }

  call<K extends HookKind, I, A>(hook: Hook<K, I, A>, input: I): CallResult<K, I, A> {
    const snapshot = this.#snapshot();
    const declared = (declaredHook(snapshot, hook.id) ?? hook) as unknown as Hook;
    const denial = this.#denial(declared, snapshot);
    if (denial !== undefined) return Promise.resolve(denial) as CallResult<K, I, A>;
    const frozen = this.#core.freezeDeeply ? freezeDeep(input) : freezeTop(input);
    return snapshot.hooks.call(declared, this.where.root, frozen, this) as CallResult<K, I, A>;
  }

  /** A guarding hook without its keeper is denied, whatever the other taps would say. */
  #denial(hook: Hook, snapshot: Snapshot): unknown {
    const keeper = hook.guard?.keeper;
    if (keeper === undefined || this.#core.keepers === 'none') return undefined;
    const isThere = snapshot.hooks.taps.some((tap) => tap.hook.id === hook.id && tap.activation.id === keeper && tap.activation.level === 'builtin' && tap.activation.state !== 'gone');
    if (isThere) return undefined;
    const why = this.#core.missing(keeper);
    return why === undefined ? undefined : hook.guard?.deny(`${keeper} is not loaded: ${why}`);
  }

  taps(hook: HookToken): number {
    return this.#snapshot().hooks.count(hook as Hook, this.where.root);
  }

  async run<T, R>(entry: Entry<T>, fn: (item: T) => R | Promise<R>): Promise<R> {
    const { activation } = this.#owner(entry);
    if (activation === undefined) return this.#core.owners.run({ view: this }, () => fn(entry.item));
    activation.enter();
    const { promise: gone, reject } = Promise.withResolvers<never>();
    gone.catch(() => {});
    const tell = (): void => reject(goneError(activation));
    activation.waiters.add(tell);
    try {
      return await Promise.race([this.#core.owners.run({ activation, view: this }, () => fn(entry.item)), gone]);
    } catch (error) {
      throw this.#owned(activation, entry, error);
    } finally {
      activation.waiters.delete(tell);
      activation.leave();
    }
  }

  #owned(activation: Activation, entry: Entry<unknown>, error: unknown): unknown {
    if (error instanceof KernError || (error instanceof Error && error.name === 'AbortError')) return error;
    const failure = new PluginError(activation.id, entry.key ?? 'an item', error);
    this.#core.journal.add(activation.id, 'error', 'item_failed', failure.message, error);
    return failure;
  }

  hold<T>(entry: Entry<T>): Handle {
    const { activation } = this.#owner(entry);
    let held = true;
    activation?.enter();
    const dispose = (): void => {
      if (!held) return;
      held = false;
      activation?.leave();
    };
    return { dispose, [Symbol.dispose]: dispose };
  }

  #owner(entry: Entry<unknown>): Owned {
    const owned = this.#core.owned.get(entry);
    if (owned === undefined) throw new KernError('foreign_entry', 'this entry is not from this kernel', { hint: 'use the entries of ctx.use(…), not copies of them' });
    if (owned.activation?.state === 'gone') throw goneError(owned.activation);
    if (owned.record.withdrawn) throw new KernError('item_withdrawn', `${entry.key ?? 'the item'} of ${entry.origin.plugin} was withdrawn`, { hint: 'ask for it again' });
    return owned;
  }

  pin(): View {
    const snapshot = this.#snapshot();
    return new SnapshotView(this.#core, this.where, this.#ui, { parent: this.#parent ?? this, snapshot, release: this.#core.pin(snapshot) });
  }

  offer<T>(capability: Capability<T>, name: string, items: readonly T[]): Group<T> {
    let group: OwnGroup = { capability: capability as unknown as Capability<unknown>, name, items, record: { withdrawn: false } };
    const replace = (next: readonly T[]): void => {
      const before = group;
      group = { ...group, items: next };
      this.#own.groups = this.#own.groups.map((other) => (other === before ? group : other));
      this.#own.version += 1;
    };
    const withdraw = (): void => {
      group.record.withdrawn = true;
      this.#own.groups = this.#own.groups.filter((other) => other !== group);
      this.#own.version += 1;
    };
    this.#own.groups = [...this.#own.groups, group];
    this.#own.version += 1;
    return { replace, withdraw, dispose: withdraw, [Symbol.dispose]: withdraw };
  }

  mask<T>(capability: Capability<T>, hide: (entry: Entry<T>) => string | undefined): Handle {
    const mask: Mask = { capability: capability.id, hide: hide as Mask['hide'] };
    this.#own.masks = [...this.#own.masks, mask];
    this.#own.version += 1;
    const dispose = (): void => {
      this.#own.masks = this.#own.masks.filter((other) => other !== mask);
      this.#own.version += 1;
    };
    return { dispose, [Symbol.dispose]: dispose };
  }

  enter<R>(fn: () => R): R {
    return this.#core.owners.run({ ...this.#core.owners.current(), view: this }, fn);
  }

  settled(limitMs: number): Promise<void> {
    return this.#core.settled(limitMs);
  }

  touched(paths: readonly string[]): void {
    this.#core.touched(paths);
  }

  setting(key: string): unknown {
    return this.#core.settings.get(key);
  }

  [Symbol.dispose](): void {
    this.#release();
  }

  async #load(capability: string, signal: AbortSignal | undefined): Promise<void> {
    await this.#core.wake(capability);
    await this.#core.ask(capability, this.where, signal);
  }

  #table<T>(capability: Capability<T>): Table<T> {
    const snapshot = this.#snapshot();
    const { version } = this.#own;
    const settings = this.#core.settings.version;
    const made = this.#tablesFor;
    if (made?.snapshot !== snapshot || made.version !== version || made.settings !== settings) {
      this.#tables = new Map();
      this.#tablesFor = { snapshot, version, settings };
    }
    let table = this.#tables.get(capability.id);
    if (table === undefined) {
      table = this.#derive(capability as unknown as Capability<unknown>, snapshot);
      this.#tables.set(capability.id, table);
    }
    return table as Table<T>;
  }

  #derive(capability: Capability<unknown>, snapshot: Snapshot): Table {
    const declared = declaredCapability(snapshot, capability.id);
    const owners = new Map<Candidate, Owned>();
    const candidates: Candidate[] = [];
    const add = (candidate: Candidate, owned: Owned): void => {
      candidates.push(candidate);
      owners.set(candidate, owned);
    };
    for (const offer of snapshot.offers) {
      const { activation } = offer;
      if (offer.capability.id !== capability.id || !this.#sees(activation)) continue;
      const base = { item: offer.item, key: offer.key, plugin: activation.id, provider: offer.provider, level: activation.level, path: offer.path };
      add({ ...base, priority: offer.priority, within: Number.POSITIVE_INFINITY, place: snapshot.place.get(activation) ?? 0, sequence: offer.sequence, parsed: offer.parsed, off: this.#off(declared, base) }, { activation, record: offer });
    }
    for (const answer of snapshot.answers.values()) {
      const { activation, provider, capability: asked } = answer.record;
      if (asked.id !== capability.id || answer.cwd !== this.where.cwd || !this.#sees(activation)) continue;
      for (const offer of answer.offers) {
        const level = offer.level ?? activation.level;
        const base = { item: offer.item, key: offer.key, plugin: activation.id, provider: provider.id, level, path: offer.path };
        const within = this.#core.settings.provider(provider.id, level).priority ?? provider.priority;
        add({ ...base, priority: undefined, within, place: snapshot.place.get(activation) ?? 0, sequence: offer.sequence, parsed: offer.parsed, off: this.#off(declared, base) }, { activation, record: offer });
      }
    }
    for (const group of this.#own.groups) {
      if (group.capability.id !== capability.id) continue;
      for (const [sequence, item] of group.items.entries()) {
        const owner = declared ?? group.capability;
        const base = { item, key: keyOf(owner, item), plugin: group.name, provider: group.name, level: 'session' as const, path: undefined };
        add({ ...base, priority: undefined, within: Number.POSITIVE_INFINITY, place: -1, sequence, parsed: parse(owner.schema, item), off: this.#off(declared, base) }, { activation: undefined, record: group.record });
      }
    }
    const table = merge(candidates, (entry, candidate) => {
      const owned = owners.get(candidate);
      if (owned !== undefined) this.#core.owned.set(entry, owned);
    });
    return this.#masked(capability.id, table);
  }

  /** Masks hide winners after precedence is settled: what they hide does not let a loser through. */
  #masked(capability: string, table: Table): Table {
    const masks = this.#own.masks.filter((mask) => mask.capability === capability);
    if (masks.length === 0) return table;
    const entries = table.entries.map((entry) => {
      if (entry.verdict.state !== 'won') return entry;
      for (const mask of masks) {
        const by = mask.hide(entry as Entry<never>);
        if (by === undefined) continue;
        const hidden: Entry<unknown> = Object.freeze({ ...entry, verdict: { state: 'disabled', by } });
        const owned = this.#core.owned.get(entry);
        if (owned !== undefined) this.#core.owned.set(hidden, owned);
        return hidden;
      }
      return entry;
    });
    const won = entries.filter((entry) => entry.verdict.state === 'won');
    const winners = new Map(won.flatMap((entry) => (entry.key === undefined ? [] : [[entry.key, entry] as const])));
    return { entries: Object.freeze(entries), items: Object.freeze(won.map((entry) => entry.item)), winners };
  }

  #sees(activation: Activation): boolean {
    return activation.level !== 'project' || activation.unit.root === this.where.root;
  }

  #off(declared: Capability<unknown> | undefined, candidate: Pick<Candidate, 'provider' | 'level' | 'key'>): string | undefined {
    if (declared === undefined) return 'nobody declares this capability';
    if (declared.from !== undefined && !declared.from.includes(candidate.level)) return `only ${declared.from.join(' and ')} plugins supply it`;
    const { off } = this.#core.settings.provider(candidate.provider, candidate.level);
    if (off !== undefined) return off;
    return candidate.key === undefined ? undefined : this.#core.settings.item(declared.id, candidate.key, candidate.level);
  }
}

function select<T>(entries: readonly Entry<T>[], options: EntriesOptions | undefined): readonly Entry<T>[] {
  if (options === undefined) return entries;
  return entries.filter(({ origin }) => options.providers?.includes(origin.provider) !== false && options.exclude?.includes(origin.provider) !== true);
}

function goneError(activation: Activation): KernError {
  return new KernError('plugin_gone', `plugin ${activation.id} was unloaded`, { hint: 'ask for the item again: another may have taken its place' });
}

