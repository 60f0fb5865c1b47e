import type { Activation, OfferRecord, PluginUnit } from './activation.ts';
import { Announcer } from './announcer.ts';
import { Asking } from './asking.ts';
import type { Entry, Where } from './capability.ts';
import { Cells } from './cells.ts';
import type { Change, ChangeResult, Failure } from './change.ts';
import { changesBetween } from './changes.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Core, Owned } from './core.ts';
import { type Declarations, type Declarer, declarationOf, declarationsOf, declaredCapability, examine, isSameDeclarations } from './declarations.ts';
import { Drain, graceMs, type Pin } from './drain.ts';
import { codeOf, KernError, messageOf, PluginError } from './error.ts';
import { EventBus } from './event-bus.ts';
import { capabilityChanged, configChanged, type PluginChange, pluginChanged } from './events.ts';
import { Failures, failingUnit } from './failures.ts';
import { CompiledHooks } from './hooks.ts';
import { within } from './limit.ts';
import { dependentsOf } from './order.ts';
import { Ownership } from './owner.ts';
import { type Plan, plan } from './plan.ts';
import type { Context, Handle, Token, TrustGate, View } from './plugin.ts';
import { Refusal } from './refusal.ts';
import { Journal } from './report.ts';
import type { Staging } from './scope.ts';
import { absentUi, type Ui } from './session.ts';
import { noSettings, type SettingsPort } from './settings.ts';
import { Sleepers } from './sleepers.ts';
import { type Answer, builtinKey, type IdlePlugin, type Snapshot, sleeperKey, sleeperUnit, tapsOf } from './snapshot.ts';
import { stage, start } from './stage.ts';
import { SnapshotView } from './view.ts';

export type { Change, ChangeResult, Failure } from './change.ts';
export { builtinKey, unitKey } from './snapshot.ts';

export interface WatchPort {
  watch(owner: string, paths: readonly string[], fn: (changed: readonly string[]) => void): Handle;
  touched(paths: readonly string[]): void;
  /** Debounce windows that are open. */
  pending(): Promise<void>;
}

export interface KernelOptions {
  readonly where: Where;
  readonly settings?: SettingsPort;
  readonly trust?: TrustGate;
  readonly watch?: WatchPort;
  readonly clock?: Clock;
  readonly ui?: Ui;
  /** `none` in tests of single plugins only. */
  readonly keepers?: 'enforced' | 'none';
  /** Hook inputs are frozen all the way down: for tests. */
  readonly freezeDeeply?: boolean;
}

/** One try at a change: what has been made so far, and whose turn it is. */
interface Attempt {
  readonly made: Activation[];
  readonly stagings: Staging[];
  /** Keys of the plugins that the change is about. */
  readonly named: Set<string>;
  culprit: PluginUnit | undefined;
}

/** What a change comes to, once everything has started. */
interface Outcome extends Plan {
  readonly next: readonly Activation[];
  readonly made: readonly Activation[];
  readonly declarations: Declarations;
  readonly fresh: ReadonlyMap<string, Answer>;
  /** Keys of sleepers that are none any more. */
  readonly awake: ReadonlySet<string>;
}

/** Knows how things are plugged in, and nothing of what is. One a process is the rule; two are blind to each other. */
export class Kernel implements Core {
  readonly owners = new Ownership();
  readonly journal = new Journal();
  readonly clock: Clock;
  readonly trust: TrustGate;
  readonly where: Where;
  readonly cells = new Cells(this.journal, this.owners);
  readonly events = new EventBus();
  readonly outlook: View;
  readonly keepers: 'enforced' | 'none';
  readonly freezeDeeply: boolean;
  readonly owned = new WeakMap<Entry<unknown>, Owned>();
  readonly #drain: Drain;
  readonly #sleepers: Sleepers;
  readonly #asking: Asking;
  readonly #announcer = new Announcer(this.journal);
  readonly #failures = new Failures(this.journal);
  readonly #watch: WatchPort | undefined;
  #settings: SettingsPort;
  #snapshot: Snapshot;
  /** Live, switched off, waiting for another, replaced by another, or benched. */
  #known: readonly PluginUnit[] = [];
  /** The last plan's, with what sleeps. */
  #order: readonly PluginUnit[] = [];
  readonly #active = new Map<string, Activation>();
  /** Came back with a change that was not about them, and failed: not tried again before something they need changes. */
  readonly #benched = new Set<PluginUnit>();
  readonly #reserved = new Set<string>();
  readonly #adapted = new WeakMap<OfferRecord, OfferRecord>();
  readonly #channels = new Map<string, string[]>();
  readonly #work = new Set<Promise<unknown>>();
  #queue: Promise<unknown> = Promise.resolve();
  #created = 0;
  #shutdown: Promise<void> | undefined;

  constructor(options: KernelOptions) {
    this.clock = options.clock ?? systemClock;
    this.where = options.where;
    this.trust = options.trust ?? { check: async () => 'trusted' };
    this.keepers = options.keepers ?? 'enforced';
    this.freezeDeeply = options.freezeDeeply === true;
    this.#settings = options.settings ?? noSettings;
    this.#watch = options.watch;
    this.#drain = new Drain(this);
    const kernel = this;
    this.#sleepers = new Sleepers({
      owners: this.owners,
      snapshot: () => this.#snapshot,
      change: (change) => this.#enqueue(change),
      off: (plugin) => this.#off(sleeperUnit(plugin)),
      why: (key) => this.#why(key),
      changed: () => this.#refresh(),
    });
    this.#asking = new Asking({
      owners: this.owners,
      journal: this.journal,
      clock: this.clock,
      get settings() {
        return kernel.settings;
      },
      snapshot: () => this.#snapshot,
      watch: (owner, paths, fn) => this.watch(owner, paths, fn),
      join: (answers) => this.#refresh(answers),
      track: (work) => void this.track(work),
    });
    this.#snapshot = this.#makeSnapshot([], declarationsOf([], kernelTokens), new Map());
    const ui = options.ui ?? absentUi((message, level) => this.journal.add('kern', level, 'notice', message));
    this.outlook = new SnapshotView(this, this.where, ui);
  }

  get settings(): SettingsPort {
    return this.#settings;
  }

  snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** The current snapshot as seen from a place. */
  view(where: Partial<Where> = {}, ui: Ui = this.outlook.ui): View {
    return new SnapshotView(this, { ...this.where, ...where }, ui);
  }

  /** Makes plugins known by their manifests, all or, with an error that says why, none. Those that tap hooks are loaded by `boot`. */
  introduce(plugins: readonly IdlePlugin[]): void {
    const fresh = plugins.filter((plugin) => !this.#known.some((unit) => unit.key === sleeperKey(plugin)));
    const keys = new Set(fresh.map(sleeperKey));
    for (const plugin of fresh) {
      const { id, level = 'builtin' } = plugin;
      if (level === 'builtin') continue;
      if (this.#reservedBy([]).has(id)) throw new Refusal([sleeperUnit(plugin)], 'id_taken', `the id ${id} (${plugin.source ?? 'a manifest'}) is taken by a built-in plugin`, 'choose another id');
    }
    const others = this.#sleepers.all.filter((plugin) => !keys.has(sleeperKey(plugin)));
    declarationsOf([...this.#sleepers.declarers(others), ...this.#snapshot.activations.map(declarerOf), ...this.#sleepers.declarers(fresh)], kernelTokens);
    for (const { id, level = 'builtin' } of fresh) if (level === 'builtin') this.#reserved.add(id);
    this.#sleepers.add(fresh);
    this.#refresh();
  }

  /** Loads every introduced plugin that taps a hook, as one change. */
  async boot(limitMs = 10_000): Promise<ChangeResult> {
    return this.change({ wake: this.#eager(), limitMs });
  }

  #eager(): readonly IdlePlugin[] {
    return this.#snapshot.idle.filter((plugin) => (plugin.taps?.length ?? 0) > 0);
  }

  #off({ definition, level }: PluginUnit): string | undefined {
    return this.#settings.plugin(definition.id, level).off;
  }

  // --- Changes ---------------------------------------------------------------------------------------------------

  /** One at a time, all or nothing: the snapshot is always that of the last success. Never rejects. */
  change(change: Change): Promise<ChangeResult> {
    if (!this.owners.isInChange) return this.#enqueue(change);
    const plugin = this.owners.current()?.activation?.id ?? 'kern';
    const error = new KernError('change_in_change', `plugin ${plugin} asks for a change of plugins while one is under way, and would wait for itself`, { hint: 'ask for it after the start, from a hook or a timer' });
    return Promise.resolve({ ok: false, plugin, code: error.code, message: error.message, error });
  }

  #enqueue(change: Change): Promise<ChangeResult> {
    const done = this.#queue.then(() => this.#apply(change));
    this.#queue = done.catch(() => {});
    return this.track(done);
  }

  /** Counts work that will end in a change, so that a turn waits for it. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    const done = (): void => void this.#work.delete(work);
    work.then(done, done);
    return work;
  }

  async #apply(change: Change): Promise<ChangeResult> {
    if (this.#shutdown !== undefined) return closed();
    const open = { open: true };
    return this.owners.within(open, async () => {
      this.#reconsider(change);
      for (;;) {
        const attempt: Attempt = { made: [], stagings: [], named: new Set(), culprit: undefined };
        try {
          const outcome = await this.#attempt(change, attempt);
          open.open = false;
          return this.#swap(change, outcome);
        } catch (error) {
          const culprit = culpritOf(error, attempt, this.#active);
          for (const activation of attempt.made.reverse()) await this.#drain.dispose(activation);
          if (this.#shutdown !== undefined) return closed();
          // What comes back with a change that is not about it must not stop that change.
          const isReturning = culprit !== undefined && !attempt.named.has(culprit.key) && this.#known.includes(culprit) && !this.#active.has(culprit.key);
          if (isReturning) this.#bench(culprit, error);
          else return this.#keepOld(error, culprit, change, open);
        } finally {
          for (const staging of attempt.stagings) {
            staging.predecessor = undefined;
            staging.declarations = undefined;
          }
        }
      }
    });
  }

  async #attempt(change: Change, attempt: Attempt): Promise<Outcome> {
    const limitMs = change.limitMs ?? 3_000;
    const { woken, put } = await this.#withSleepers(change, attempt, limitMs);
    for (const unit of put) attempt.named.add(unit.key);
    attempt.culprit = put.length === 1 ? put[0] : undefined;
    const drop = new Set(change.drop);
    const kept = this.#known.filter((unit) => !drop.has(unit.key) && !attempt.named.has(unit.key));
    // What is switched off stays known, so that it can be switched on again.
    const isResting = (unit: PluginUnit): boolean => this.#off(unit) !== undefined || this.#benched.has(unit);
    const resting = [...kept, ...put].filter(isResting);
    const awake = new Set([...woken.map(sleeperKey), ...attempt.named, ...drop]);
    const sleepers = this.#sleepers.all.filter((plugin) => this.#off(sleeperUnit(plugin)) === undefined && !awake.has(sleeperKey(plugin)));
    const keepers = this.#keepers(put);
    const planned = plan({
      known: kept.filter((unit) => !isResting(unit)),
      put: put.filter((unit) => !isResting(unit)),
      isLive: (unit) => this.#active.get(unit.key)?.unit === unit,
      drop: new Set([...drop, ...resting.map((unit) => unit.key)]),
      sleeping: sleepers.map((plugin) => this.#sleepers.standOf(plugin).unit),
      keepers,
      reserved: this.#reservedBy(put),
    });
    const declarations = this.#declarations(planned, sleepers);
    const next: Activation[] = [];
    for (const unit of planned.effective) {
      const active = this.#active.get(unit.key);
      if (active?.unit === unit) {
        next.push(active);
        continue;
      }
      if (this.#shutdown !== undefined) throw new KernError('kernel_closed', 'kern is shutting down');
      attempt.culprit = unit;
      const staging: Staging = { predecessor: active, declarations };
      attempt.stagings.push(staging);
      const isKeeper = unit.level === 'builtin' && keepers.has(unit.definition.id);
      const made = (activation: Activation): void => {
        attempt.made.push(activation);
        this.#created += 1;
      };
      next.push(await stage(this, unit, { staging, limitMs, onFree: this.#drain.onFree, isKeeper }, made));
    }
    attempt.culprit = undefined;
    const candidate = this.#makeSnapshot(next, declarations, this.#snapshot.answers, planned.order);
    const fresh = await this.#asking.carry(candidate, attempt.made);
    using preview = new SnapshotView(this, this.where, this.outlook.ui, { parent: this.outlook as SnapshotView, snapshot: { ...candidate, answers: new Map([...candidate.answers, ...fresh]) } });
    for (const activation of attempt.made) {
      attempt.culprit = activation.unit;
      await start(this, activation, preview, limitMs);
    }
    attempt.culprit = undefined;
    if (this.#shutdown !== undefined) throw new KernError('kernel_closed', 'kern is shutting down');
    const { known, effective, order } = planned;
    return { known: [...known, ...resting], effective, order, next, made: attempt.made, awake, fresh, declarations };
  }

  /** Adds the idle plugins that this change wakes, and those it requires. */
  async #withSleepers(change: Change, attempt: Attempt, limitMs: number): Promise<{ woken: readonly IdlePlugin[]; put: readonly PluginUnit[] }> {
    const put = [...(change.put ?? [])];
    const woken: IdlePlugin[] = [];
    for (;;) {
      const keys = new Set(put.map((unit) => unit.key));
      const requires = new Set(put.flatMap((unit) => unit.definition.requires ?? []));
      const isNext = (plugin: IdlePlugin): boolean => !keys.has(sleeperKey(plugin)) && (change.wake?.includes(plugin) === true || requires.has(plugin.id));
      const next = this.#sleepers.inForce([...this.#snapshot.activations.map(({ unit }) => unit), ...put]).filter(isNext);
      if (next.length === 0) return { woken, put };
      woken.push(...next);
      for (const plugin of next) attempt.named.add(sleeperKey(plugin));
      put.push(...(await Promise.all(next.map((plugin) => this.#load(plugin, attempt, limitMs)))));
    }
  }

  async #load(plugin: IdlePlugin, attempt: Attempt, limitMs: number): Promise<PluginUnit> {
    try {
      const definition = await within(this.clock, limitMs, plugin.load(), () => {
        throw new KernError('load_late', `it did not load within ${limitMs} ms`);
      });
      if (definition.id !== plugin.id) throw new KernError('manifest_id', `its manifest says ${plugin.id}, its code ${definition.id}`, { hint: 'make the two ids the same' });
      return sleeperUnit(plugin, definition);
    } catch (error) {
      attempt.culprit ??= sleeperUnit(plugin);
      throw new PluginError(plugin.id, 'loading', error);
    }
  }

  /** Later ones are refused for what earlier ones declare: so those come first that run already. */
  #declarations({ effective }: Plan, sleepers: readonly IdlePlugin[]): Declarations {
    const inForce = this.#sleepers.inForce(effective).filter((plugin) => sleepers.includes(plugin));
    const isLive = (unit: PluginUnit): boolean => this.#active.get(unit.key) !== undefined;
    const units = [...effective.filter(isLive), ...effective.filter((unit) => !isLive(unit))];
    const declarations = declarationsOf([...this.#sleepers.declarers(inForce), ...units.map((unit) => declarerOf({ unit }))], kernelTokens);
    return isSameDeclarations(declarations, this.#snapshot.declarations) ? this.#snapshot.declarations : declarations;
  }

  #swap(change: Change, to: Outcome): ChangeResult {
    const before = this.#snapshot;
    const old = before.activations.filter((activation) => !to.next.includes(activation));
    const replaced = new Set(to.made.map((activation) => activation.unit.key));
    const unloaded = old.filter((activation) => !replaced.has(activation.unit.key));
    for (const activation of to.made) {
      const predecessor = this.#active.get(activation.unit.key);
      if (predecessor !== undefined) this.cells.carryOver(predecessor, activation);
      activation.state = 'live';
      this.#failures.forget(activation.unit.key);
    }
    for (const key of change.drop ?? []) this.#failures.forget(key);
    this.#known = to.known;
    this.#order = to.order;
    for (const unit of this.#benched) if (!to.known.includes(unit)) this.#benched.delete(unit);
    this.#sleepers.remove(to.awake);
    this.#active.clear();
    for (const activation of to.next) this.#active.set(activation.unit.key, activation);
    // Made here, once all have started: a start may have registered more, and answers may have come meanwhile.
    this.#snapshot = this.#makeSnapshot(to.next, to.declarations, new Map([...before.answers, ...to.fresh]));
    this.cells.takeDisplaced();
    this.#asking.prune();
    this.#asking.watch(to.fresh.values());
    for (const activation of old) {
      if (replaced.has(activation.unit.key)) this.#drain.replace(activation);
      else this.#drain.remove(activation);
    }
    for (const activation of to.made) this.#reportUndeclared(activation);
    for (const { id, unit } of to.made) this.announce({ id, state: 'live', revision: unit.revision, file: unit.source });
    for (const { id, unit } of unloaded) this.announce({ id, state: 'unloaded', revision: unit.revision, file: unit.source });
    this.#announceCapabilities(before);
    return { ok: true, live: to.made.map((activation) => activation.id), unloaded: unloaded.map((activation) => activation.id) };
  }

  #keepOld(error: unknown, culprit: PluginUnit | undefined, change: Change, open: { open: boolean }): ChangeResult {
    open.open = false;
    const id = culprit?.definition.id ?? 'kern';
    const message = messageOf(error);
    if (culprit === undefined) this.journal.add(id, 'error', 'load_failed', message, error);
    else this.#fail(culprit, error);
    for (const unit of change.put ?? []) {
      if (unit.key !== culprit?.key && !this.#active.has(unit.key) && this.#off(unit) === undefined) this.#fail(unit, error);
    }
    // What was taken from the old is taken again by running its setup anew.
    for (const activation of this.cells.takeDisplaced()) {
      if (this.#active.get(activation.unit.key) === activation) void this.#enqueue({ put: [{ ...activation.unit }] });
    }
    return { ok: false, plugin: id, code: codeOf(error) ?? 'plugin_failed', message, error };
  }

  #fail(unit: PluginUnit, error: unknown): void {
    this.recordFailure(failingUnit(unit), error);
  }

  #bench(unit: PluginUnit, error: unknown): void {
    this.#benched.add(unit);
    this.#fail(unit, error);
  }

  /** What was benched is tried again when something it needs is put anew. */
  #reconsider({ put = [], wake = [] }: Change): void {
    if (this.#benched.size === 0) return;
    const keys = new Set([...put.map((unit) => unit.key), ...wake.map(sleeperKey)]);
    const others = [...this.#known, ...put.filter((unit) => !this.#known.some((other) => other.key === unit.key))];
    for (const unit of dependentsOf(others, keys)) this.#benched.delete(unit);
  }

  // --- Snapshots -------------------------------------------------------------------------------------------------

  #makeSnapshot(activations: readonly Activation[], declarations: Declarations, answers: ReadonlyMap<string, Answer>, order: readonly PluginUnit[] = this.#order): Snapshot {
    const before = this.#snapshot as Snapshot | undefined;
    const taps = tapsOf(activations);
    const isSameTaps = before !== undefined && before.hooks.taps.length === taps.length && taps.every((tap, at) => tap === before.hooks.taps[at]);
    const idle = this.#sleepers.inForce(activations.map(({ unit }) => unit));
    const providers = activations.flatMap((activation) => activation.providers);
    const isAnswering = new Set(providers);
    const adapt = <O extends OfferRecord>(offer: O): O => this.#underDeclaration(offer, declarations);
    const adaptAnswer = (answer: Answer): Answer => (before?.declarations === declarations ? answer : { ...answer, offers: answer.offers.map(adapt) });
    return Object.freeze({
      number: (before?.number ?? 0) + 1,
      activations: Object.freeze([...activations]),
      place: this.#places(activations, idle, order),
      offers: Object.freeze([...activations.flatMap((activation) => activation.offers.map(adapt)), ...this.#sleepers.stubs(idle, declarations)]),
      providers: Object.freeze(providers),
      answers: new Map([...answers].filter(([, { record }]) => isAnswering.has(record)).map(([key, answer]) => [key, adaptAnswer(answer)] as const)),
      idle: Object.freeze(idle),
      declarations,
      hooks: isSameTaps ? before.hooks : new CompiledHooks(taps, this),
    });
  }

  #places(activations: readonly Activation[], idle: readonly IdlePlugin[], order: readonly PluginUnit[]): ReadonlyMap<Activation, number> {
    const all = [...activations, ...idle.map((plugin) => this.#sleepers.standOf(plugin))];
    const byUnit = new Map(all.map((activation) => [activation.unit, activation]));
    const ordered = order.flatMap((unit) => byUnit.get(unit) ?? []);
    // What was introduced since the last plan has its place with the next one.
    const others = all.filter((activation) => !ordered.includes(activation)).sort((a, b) => (a.unit.key < b.unit.key ? -1 : 1));
    return new Map([...ordered, ...others].map((activation, place) => [activation, place]));
  }

  /** An offer as the declaration in force sees it; parsed anew only when that is another one, and once. */
  #underDeclaration<O extends OfferRecord>(offer: O, declarations: Declarations): O {
    const declared = declaredCapability(declarations, offer.capability.id, offer.activation.root);
    if (declared === undefined || declared === offer.capability) return offer;
    const known = this.#adapted.get(offer);
    // Made of this offer, so it has the same shape.
    if (known?.capability === declared) return known as O;
    const adapted: O = { ...offer, capability: declared, ...examine(declared, offer.offered) };
    this.#adapted.set(offer, adapted);
    if (!adapted.parsed.ok) this.journal.add(offer.activation.id, 'warning', 'invalid_item', `an item of plugin ${offer.activation.id} is no ${declared.id} as it is declared now: ${adapted.parsed.issues.join('; ')}`);
    return adapted;
  }

  /** A new snapshot that shares what did not change. */
  #refresh(answers: ReadonlyMap<string, Answer> = this.#snapshot.answers): void {
    const before = this.#snapshot;
    const units = before.activations.map(({ unit }) => unit);
    const declarations = this.#declarations({ known: [], effective: units, order: [] }, this.#sleepers.all);
    this.#snapshot = this.#makeSnapshot(before.activations, declarations, answers);
    this.#asking.prune();
    this.#announceCapabilities(before);
  }

  changed(activation: Activation): void {
    if (this.#active.get(activation.unit.key) !== activation) return;
    this.#refresh();
  }

  pin(snapshot: Snapshot): Pin {
    return this.#drain.pin(snapshot);
  }

  #reportUndeclared({ id, root, taps, offers, providers }: Activation): void {
    const { declarations } = this.#snapshot;
    const used = new Map([...taps.map(({ hook }) => hook), ...[...offers, ...providers].map(({ capability }) => capability)].map((token): [string, Token] => [`${token.token} ${token.id}`, token]));
    for (const [name, token] of used) {
      if (declarationOf(declarations, token.token, token.id, root) !== undefined) continue;
      this.journal.add(id, 'info', 'undeclared', `plugin ${id} uses the ${name}, which no plugin declares: it is kept, and used when one does`);
    }
  }

  // --- Idle plugins and providers --------------------------------------------------------------------------------

  wake(capability: string, root: string): Promise<void> {
    return this.#sleepers.wake(capability, root);
  }

  ask(capability: string, where: Where, signal: AbortSignal | undefined, from: Snapshot): Promise<ReadonlyMap<string, Answer>> {
    return this.#asking.load(capability, where, signal, from);
  }

  /** What a provider's last answers warned of, by provider id. */
  warnings(provider: string): readonly string[] {
    return this.#asking.warnings(provider);
  }

  // --- Settings --------------------------------------------------------------------------------------------------

  /** New settings: plugins are switched on and off, and those whose own settings changed are set up again, each for itself. */
  async configure(settings: SettingsPort, keys: readonly string[]): Promise<ChangeResult> {
    const about = (id: string): boolean => isAbout(keys, id);
    const touched = [...this.#active.values()].filter(({ id }) => about(id));
    this.#settings = settings;
    for (const unit of this.#benched) if (about(unit.definition.id)) this.#benched.delete(unit);
    this.#sleepers.encourage(about);
    this.#refresh();
    const results = [await this.change({})];
    for (const activation of touched) {
      const { unit } = activation;
      // Gone, or set up with the new settings already.
      if (this.#active.get(unit.key) !== activation) continue;
      results.push(await this.change({ put: [{ ...unit, revision: unit.revision + 1 }] }));
    }
    for (const plugin of this.#eager()) results.push(await this.change({ wake: [plugin] }));
    if (keys.length > 0) this.#announcer.tell(() => this.outlook.call(configChanged, { keys }));
    return together(results);
  }

  // --- Events and ends -------------------------------------------------------------------------------------------

  announce(change: PluginChange): void {
    this.#announcer.tell(() => this.outlook.call(pluginChanged, change));
  }

  #announceCapabilities(before: Snapshot): void {
    if (this.outlook.taps(capabilityChanged) === 0) return;
    for (const change of changesBetween(before, this.#snapshot)) this.#announcer.tell(() => this.outlook.call(capabilityChanged, change));
  }

  /** Changes that are queued or running and open debounce windows are through, or the limit is. */
  async settled(limitMs: number): Promise<void> {
    // In the middle of a change that would wait for itself.
    if (this.owners.isInChange) return;
    const quiet = async (): Promise<void> => {
      for (;;) {
        await this.#watch?.pending();
        if (this.#work.size === 0) return;
        await Promise.allSettled(this.#work);
      }
    };
    await within(this.clock, limitMs, quiet(), () => undefined);
  }

  touched(paths: readonly string[]): void {
    this.owners.free(() => this.#watch?.touched(paths));
  }

  watch(owner: string, paths: readonly string[], fn: (changed: readonly string[]) => void): Handle {
    const dispose = (): void => {};
    return this.owners.free(() => this.#watch?.watch(owner, paths, fn)) ?? { dispose, [Symbol.dispose]: dispose };
  }

  missing(keeper: string): string | undefined {
    if (this.#settings.plugin(keeper, 'builtin').off !== undefined) return undefined;
    return this.#why(builtinKey(keeper)) ?? 'it is not installed';
  }

  /** Why a plugin is not there. */
  #why(key: string): string | undefined {
    const failure = this.#failures.all.get(key)?.message;
    if (failure !== undefined) return failure;
    if (this.#sleepers.all.some((plugin) => sleeperKey(plugin) === key)) return 'it has not been woken';
    const unit = this.#known.find((known) => known.key === key);
    if (unit === undefined) return undefined;
    const waitsFor = this.waitsFor(unit);
    return this.#off(unit) ?? (waitsFor === undefined ? undefined : `it requires ${waitsFor}, which is not loaded`);
  }

  /** The plugin without which a known one does not run. */
  waitsFor(unit: PluginUnit): string | undefined {
    if (this.#active.has(unit.key) || this.#off(unit) !== undefined) return undefined;
    const ids = new Set([...this.#active.values()].flatMap(({ unit: { definition } }) => [definition.id, definition.replaces]));
    const asleep = new Set(this.#snapshot.idle.map(({ id }) => id));
    return unit.definition.requires?.find((id) => !ids.has(id) && !asleep.has(id));
  }

  channel(plugin: string, name: string, line: string): void {
    const key = `${plugin}/${name}`;
    const lines = this.#channels.get(key) ?? [];
    lines.push(line);
    if (lines.length > 500) lines.shift();
    this.#channels.set(key, lines);
  }

  /** The last lines of the channels, by `plugin/name`. */
  get channels(): ReadonlyMap<string, readonly string[]> {
    return this.#channels;
  }

  get failures(): ReadonlyMap<string, Failure> {
    return this.#failures.all;
  }

  /** A plugin failed, also one that did not get as far as a change: a file that does not load. */
  recordFailure(unit: Failure['unit'], error: unknown): void {
    const isKept = this.#active.has(unit.key);
    const { message } = this.#failures.record(unit, error, isKept);
    this.announce({ id: unit.id, state: isKept ? 'kept' : 'failed', revision: unit.revision, reason: message, file: unit.source });
  }

  forgetFailure(key: string): void {
    this.#failures.forget(key);
  }

  get known(): readonly PluginUnit[] {
    return this.#known;
  }

  get sleeping(): readonly IdlePlugin[] {
    return this.#sleepers.all;
  }

  /** The `ctx` of the plugin an entry came from: what its command line verbs are called with. */
  contextOf(entry: Entry<unknown>): Context | undefined {
    return this.owned.get(entry)?.activation?.scope;
  }

  active(key: string): Activation | undefined {
    return this.#active.get(key);
  }

  get draining(): readonly Activation[] {
    return this.#drain.draining;
  }

  /** For tests: created minus disposed equals live (and draining). */
  get counts(): { readonly created: number; readonly disposed: number; readonly live: number; readonly draining: number } {
    return { created: this.#created, disposed: this.#drain.disposed, live: this.#active.size, draining: this.#drain.draining.length };
  }

  /** Ends of old revisions that have begun are through. */
  drained(): Promise<void> {
    return this.#drain.settled();
  }

  /** The last chance of every plugin, synchronous, once. */
  crash(): void {
    for (const activation of [...this.#active.values(), ...this.#drain.draining]) {
      for (const fn of activation.crashers.splice(0)) {
        try {
          this.owners.run({ activation }, fn);
        } catch (error) {
          this.journal.failure(activation.id, 'crash_handler_failed', 'onCrash', error);
        }
      }
    }
  }

  /** Ends everything, dependents first: all are told at once, calls that run get five seconds, and so do disposers. */
  shutdown(): Promise<void> {
    this.#shutdown ??= this.#end(this.owners.current()?.activation);
    return this.#shutdown;
  }

  async #end(caller: Activation | undefined): Promise<void> {
    if (!this.owners.isInChange) await this.#queue;
    await this.owners.free(async () => {
      this.#asking.close();
      const all = [...this.#drain.draining, ...this.#snapshot.activations].reverse();
      for (const activation of all) this.owners.run({ activation }, () => activation.controller.abort());
      // Who ends everything waits for the others, not for itself.
      const calls = Promise.all(all.filter((activation) => activation !== caller).map((activation) => activation.whenIdle()));
      await within(this.clock, graceMs, calls, () => {});
      const disposing = async (): Promise<void> => {
        for (const activation of all) await this.#drain.dispose(activation);
        await this.#drain.settled();
      };
      await within(this.clock, graceMs, disposing(), () => {});
      this.#active.clear();
    });
  }

  /** Ids of plugins that guard hooks of built-ins. */
  #keepers(put: readonly PluginUnit[]): ReadonlySet<string> {
    const builtins = [...this.#known, ...put].filter((unit) => unit.level === 'builtin').flatMap((unit) => unit.definition.declares ?? []);
    const sleeping = this.#sleepers.all.filter(({ level = 'builtin' }) => level === 'builtin').flatMap((plugin) => plugin.declares);
    return new Set([...builtins, ...sleeping].flatMap(keeperOf));
  }

  /** Every id a built-in has. */
  #reservedBy(put: readonly PluginUnit[]): ReadonlySet<string> {
    const builtins = [...this.#known, ...put].filter((unit) => unit.level === 'builtin').map((unit) => unit.definition.id);
    return new Set([...this.#reserved, ...builtins]);
  }
}

const kernelTokens = [pluginChanged, capabilityChanged, configChanged] as const;

const declarerOf = ({ unit }: { readonly unit: PluginUnit }): Declarer => ({ unit, declares: unit.definition.declares ?? [] });

function keeperOf(token: Token): string | readonly [] {
  if (token.token !== 'hook' || !('guard' in token)) return [];
  const { guard } = token as { readonly guard?: { readonly keeper?: string } };
  return guard?.keeper ?? [];
}

/** Whose failure it is: of several that cannot be together, one the change is about, else one that is new. */
function culpritOf(error: unknown, attempt: Attempt, active: ReadonlyMap<string, Activation>): PluginUnit | undefined {
  if (!(error instanceof Refusal)) return attempt.culprit;
  return error.units.find(({ key }) => attempt.named.has(key)) ?? error.units.find(({ key }) => !active.has(key)) ?? error.units[0];
}

function closed(): ChangeResult {
  const error = new KernError('kernel_closed', 'kern is shutting down');
  return { ok: false, plugin: 'kern', code: error.code, message: error.message, error };
}

/** The first failure, else all that went well. */
function together(results: readonly ChangeResult[]): ChangeResult {
  const went = results.flatMap((result) => (result.ok ? [result] : []));
  return results.find((result) => !result.ok) ?? { ok: true, live: went.flatMap(({ live }) => live), unloaded: went.flatMap(({ unloaded }) => unloaded) };
}

const isAbout = (keys: readonly string[], id: string): boolean => keys.some((key) => key === 'plugins' || key === `plugins.${id}` || key.startsWith(`plugins.${id}.`));
