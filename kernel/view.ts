import type { Activation } from './activation.ts';
import { adopt } from './adopt.ts';
import { candidatesOf } from './candidates.ts';
import type { Capability, Entry, Service, Where } from './capability.ts';
import type { Core, Owned } from './core.ts';
import { declarationOf, declaredHook } from './declarations.ts';
import type { Pin } from './drain.ts';
import { KernError, PluginError } from './error.ts';
import type { CallResult, Hook, HookKind } from './hook.ts';
import { freeze } from './hooks.ts';
import { unlessAborted } from './limit.ts';
import { OwnItems } from './own-items.ts';
import type { EntriesOptions, Group, Handle, HookToken, Reader, View } from './plugin.ts';
import type { SessionHandle, Ui } from './session.ts';
import type { Snapshot } from './snapshot.ts';
import { merge, type Table } from './table.ts';

/** A snapshot seen from one place: the current one, or for a pinned view always the same. */
export class SnapshotView implements View {
  readonly where: Where;
  readonly pinned: boolean;
  readonly #core: Core;
  readonly #parent: SnapshotView | undefined;
  readonly #pin: Pin | undefined;
  readonly #released: () => void;
  /** Of a pinned view, until it is released: then it sees what is there now, like any other. */
  #fixed: Snapshot | undefined;
  #own: OwnItems;
  #session: SessionHandle | undefined;
  #ui: Ui;
  #tables = new Map<string, Table>();
  #tablesFor: { snapshot: Snapshot; own: OwnItems; version: number; settings: number } | undefined;

  constructor(
    core: Core,
    where: Where,
    ui: Ui,
    from?: {
      readonly parent: SnapshotView;
      readonly snapshot: Snapshot;
      readonly pin?: Pin;
      readonly released?: () => void;
    },
  ) {
    this.#core = core;
    this.where = where;
    this.#ui = ui;
    this.pinned = from !== undefined;
    this.#fixed = from?.snapshot;
    this.#parent = from?.parent;
    this.#pin = from?.pin;
    this.#released = from?.released ?? (() => {});
    this.#own = from === undefined ? new OwnItems() : from.parent.#own.copy();
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
      load: (signal, key) => this.#load(capability.id, signal, key),
      items: () => this.#table(capability).items,
      entries: (options) => select(this.#table(capability).entries, options),
      get: (key) => this.#table(capability).winners.get(key),
      missing: () => this.#core.unanswered(capability.id, this.where, this.#snapshot()),
    };
  }

  service<T extends object>(token: Service<T>): T {
    const entry = this.#table(token).winners.get(token.id);
    if (entry !== undefined) return entry.item;
    const idle = this.#snapshot().idle.some((plugin) => token.id in plugin.contributes);
    throw new KernError('service_missing', `service ${token.id} is not there${idle ? ' yet' : ''}`, {
      hint: idle
        ? 'its plugin sleeps: await ctx.use(token).load() first'
        : `no plugin supplies ${token.id}; \`kern plugins --why\` shows what is loaded`,
    });
  }

  call<K extends HookKind, I, A>(hook: Hook<K, I, A>, input: I): CallResult<K, I, A> {
    const snapshot = this.#snapshot();
    const declared = this.#row(hook as unknown as Hook, snapshot);
    const denial = this.#denial(declared, snapshot);
    if (denial !== undefined) return Promise.resolve(denial) as CallResult<K, I, A>;
    return snapshot.hooks.call(declared, this.where.root, freeze(input, this.#core.freezeDeeply), this) as CallResult<
      K,
      I,
      A
    >;
  }

  #row(hook: Hook, { declarations }: Snapshot): Hook {
    return declaredHook(declarations, hook.id, this.where.root) ?? hook;
  }

  /** A guarding hook without its keeper is denied, whatever the other taps would say. */
  #denial(hook: Hook, snapshot: Snapshot): unknown {
    const keeper = hook.guard?.keeper;
    if (keeper === undefined || this.#core.keepers === 'none') return undefined;
    const declared = declarationOf(snapshot.declarations, 'hook', hook.id, this.where.root);
    // A stranger's hook may be kept by a plugin of the stranger's own level.
    const mayKeep = ({ level, root }: Activation): boolean =>
      level === 'builtin' ||
      (declared?.isStrange === true && level === declared.level && (root === undefined || root === this.where.root));
    const isThere = snapshot.hooks.taps.some(
      ({ hook: { id }, activation }) =>
        id === hook.id && activation.id === keeper && mayKeep(activation) && activation.state !== 'gone',
    );
    if (isThere) return undefined;
    const why = this.#core.missing(keeper);
    return why === undefined ? undefined : hook.guard?.deny(`${keeper} is not loaded: ${why}`);
  }

  taps(hook: HookToken): number {
    const snapshot = this.#snapshot();
    return snapshot.hooks.count(this.#row(hook as Hook, snapshot), this.where.root);
  }

  async run<T, R>(entry: Entry<T>, fn: (item: T) => R | Promise<R>): Promise<R> {
    const { activation, record } = this.#owner(entry);
    if (record.forward !== undefined) {
      const real = await record.forward();
      if (real.activation.state === 'gone') throw goneError(real.activation);
      return this.#runIn(real.activation, entry, () => fn(real.item as T));
    }
    if (activation === undefined)
      return this.#core.owners.run({ ...this.#core.owners.current(), view: this }, () => fn(entry.item));
    return this.#runIn(activation, entry, () => fn(entry.item));
  }

  async #runIn<R>(activation: Activation, entry: Entry<unknown>, fn: () => R | Promise<R>): Promise<R> {
    const { owners } = this.#core;
    const { promise: gone, reject } = Promise.withResolvers<never>();
    gone.catch(() => {});
    const tell = (): void => reject(goneError(activation));
    activation.enter();
    activation.waiters.add(tell);
    try {
      return await Promise.race([
        owners.run({ activation, view: this, clock: owners.current()?.clock }, async () => fn()),
        gone,
      ]);
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
    const dispose = this.#owner(entry).activation?.hold() ?? (() => {});
    return { dispose, [Symbol.dispose]: dispose };
  }

  #owner(entry: Entry<unknown>): Owned {
    const owned = this.#core.owned.get(entry);
    if (owned === undefined)
      throw new KernError('foreign_entry', 'this entry is not from this kernel', {
        hint: 'use the entries of ctx.use(…), not copies of them',
      });
    if (owned.activation?.state === 'gone') throw goneError(owned.activation);
    if (owned.record.fate.isWithdrawn)
      throw new KernError('item_withdrawn', `${entry.key ?? 'the item'} of ${entry.origin.plugin} was withdrawn`, {
        hint: 'ask for it again',
      });
    return owned;
  }

  pin(): View {
    return this.pinFor(() => {});
  }

  /** A pin whose owner is told when it is released. */
  pinFor(released: () => void): SnapshotView {
    const snapshot = this.#snapshot();
    return new SnapshotView(this.#core, this.where, this.#ui, {
      parent: this.#parent ?? this,
      snapshot,
      pin: this.#core.pin(snapshot),
      released,
    });
  }

  offer<T>(capability: Capability<T>, name: string, items: readonly T[]): Group<T> {
    return this.#own.offer(capability, name, items);
  }

  mask<T>(capability: Capability<T>, hide: (entry: Entry<T>) => string | undefined): Handle {
    return this.#own.mask(capability, hide);
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
    if (this.#fixed === undefined || this.#parent === undefined) return;
    this.#fixed = undefined;
    this.#own = this.#parent.#own;
    this.#tables = new Map();
    this.#tablesFor = undefined;
    this.#pin?.release();
    this.#released();
  }

  async #load(capability: string, signal: AbortSignal | undefined, key: string | undefined): Promise<void> {
    const core = this.#core;
    await unlessAborted(signal, core.wake(capability, this.where, key));
    if (this.#fixed !== undefined)
      this.#grow(adopt(this.#fixed, core.snapshot(), capability, (key) => core.active(key)));
    const answers = await core.ask(capability, this.where, signal, this.#snapshot());
    if (this.#fixed === undefined || answers.size === 0) return;
    this.#grow(Object.freeze({ ...this.#fixed, answers: new Map([...this.#fixed.answers, ...answers]) }));
  }

  #grow(snapshot: Snapshot): void {
    this.#fixed = snapshot;
    this.#pin?.extend(snapshot);
  }

  #table<T>(capability: Capability<T>): Table<T> {
    const snapshot = this.#snapshot();
    const own = this.#own;
    const settings = this.#core.settings.version;
    const made = this.#tablesFor;
    if (made?.snapshot !== snapshot || made.own !== own || made.version !== own.version || made.settings !== settings) {
      this.#tables = new Map();
      this.#tablesFor = { snapshot, own, version: own.version, settings };
    }
    let table = this.#tables.get(capability.id);
    if (table === undefined) {
      table = this.#derive(capability as unknown as Capability<unknown>, snapshot);
      this.#tables.set(capability.id, table);
    }
    return table as Table<T>;
  }

  #derive(capability: Capability<unknown>, snapshot: Snapshot): Table {
    const { settings, owned } = this.#core;
    const candidates = candidatesOf(capability, { snapshot, where: this.where, own: this.#own, settings });
    const table = merge([...candidates.keys()], (entry, candidate) => {
      const owner = candidates.get(candidate);
      if (owner !== undefined) owned.set(entry, owner);
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
}

function select<T>(entries: readonly Entry<T>[], options: EntriesOptions | undefined): readonly Entry<T>[] {
  if (options === undefined) return entries;
  return entries.filter(
    ({ origin }) =>
      options.providers?.includes(origin.provider) !== false && options.exclude?.includes(origin.provider) !== true,
  );
}

function goneError(activation: Activation): KernError {
  return new KernError('plugin_gone', `plugin ${activation.id} was unloaded`, {
    hint: 'ask for the item again: another may have taken its place',
  });
}
