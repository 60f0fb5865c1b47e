import type { Activation, PluginUnit } from './activation.ts';
import { Announcer } from './announcer.ts';
import { Asking } from './asking.ts';
import { Attempt, type Ground, type Outcome } from './attempt.ts';
import { Bench } from './bench.ts';
import { wakeEager } from './boot.ts';
import type { Entry, Where } from './capability.ts';
import { Cells } from './cells.ts';
import {
  type Change,
  type ChangeResult,
  changeInChange,
  changeOf,
  closed,
  type Failure,
  failed,
  together,
} from './change.ts';
import { Channels } from './channels.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Core, Owned } from './core.ts';
import { Drain, type Pin } from './drain.ts';
import { applySettings } from './effects.ts';
import { crashAll, endAll } from './ending.ts';
import { messageOf } from './error.ts';
import { EventBus } from './event-bus.ts';
import type { PluginChange } from './events.ts';
import { Failures, failedText, failingUnit, keptReason } from './failures.ts';
import { Lookout } from './lookout.ts';
import { allPresent, type KernelOptions, noWatch, type WatchPort } from './options.ts';
import { Ownership } from './owner.ts';
import type { Context, Handle, TrustGate, View } from './plugin.ts';
import { idTaken } from './refusal.ts';
import { Journal } from './report.ts';
import { absentUi, type Ui } from './session.ts';
import { isAboutPlugin, noSettings, type SettingsPort } from './settings.ts';
import { Sleepers } from './sleepers.ts';
import { type Answer, builtinKey, type IdlePlugin, type Snapshot, sleeperKey, sleeperUnit } from './snapshot.ts';
import { Snapshots } from './snapshots.ts';
import { type Standing, standingOf, switchesBetween } from './standing.ts';
import { SnapshotView } from './view.ts';
import { whyNot } from './why.ts';
import { Work } from './work.ts';

export type { Change, ChangeResult, Failure } from './change.ts';
export type { KernelOptions, WatchPort } from './options.ts';
export { builtinKey, unitKey } from './snapshot.ts';

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
  readonly #lookout: Lookout;
  readonly #sleepers: Sleepers;
  readonly #asking: Asking;
  readonly #snapshots: Snapshots;
  readonly #ground: Ground;
  readonly #announcer = new Announcer(this);
  readonly #failures = new Failures(this.journal);
  readonly #watch: WatchPort;
  #settings: SettingsPort;
  #snapshot: Snapshot;
  /** Live, switched off, waiting for another, replaced by another, or benched. */
  #known: readonly PluginUnit[] = [];
  /** The last plan's, with what sleeps. */
  #order: readonly PluginUnit[] = [];
  readonly #active = new Map<string, Activation>();
  readonly #bench = new Bench();
  readonly #reserved = new Set<string>();
  readonly #channels = new Channels();
  readonly #work = new Work();
  #queue: Promise<unknown> = Promise.resolve();
  #created = 0;
  #watches = 0;
  #shutdown: Promise<void> | undefined;

  constructor(options: KernelOptions) {
    this.clock = options.clock ?? systemClock;
    this.where = options.where;
    this.trust = options.trust ?? { check: async () => 'trusted' };
    this.keepers = options.keepers ?? 'enforced';
    this.freezeDeeply = options.freezeDeeply === true;
    this.#settings = options.settings ?? noSettings;
    this.#watch = options.watch ?? noWatch;
    this.#drain = new Drain(this);
    this.#lookout = new Lookout({
      presence: options.presence ?? allPresent,
      watch: (owner, paths, fn, since) => this.#watch.watch(owner, paths, fn, since),
      isOff: (provider, level) => this.#settings.provider(provider, level).off !== undefined,
      again: (capabilities, where) => {
        for (const capability of capabilities) void this.track(this.#seek(capability, where));
      },
    });
    this.#sleepers = new Sleepers({
      owners: this.owners,
      snapshot: () => this.#snapshot,
      change: (change) => this.#enqueue(change),
      withFiles: (plugins, capability, where) => this.#lookout.withFiles(plugins, capability, where),
      off: ({ id, level = 'builtin' }) => this.#settings.plugin(id, level).off,
      isSet: ({ id, level = 'builtin' }) => Object.keys(this.#settings.plugin(id, level).settings).length > 0,
      why: (key) => whyNot(this, key),
      changed: () => this.#refresh(),
    });
    this.#asking = new Asking({
      core: this,
      join: (answers) => this.#replace(this.#snapshots.answered(answers, this.#snapshot)),
      forget: (answers) => {
        this.#snapshot = this.#snapshots.answered(answers, this.#snapshot);
        this.#asking.prune();
      },
      track: (work) => void this.track(work),
    });
    this.#snapshots = new Snapshots(this, this.#sleepers);
    this.#snapshot = this.#snapshots.first();
    this.#ground = this.#makeGround();
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
    for (const unit of fresh.map((plugin) => sleeperUnit(plugin))) {
      if (unit.level !== 'builtin' && this.#reserved.has(unit.definition.id)) throw idTaken(unit, 'choose another id');
    }
    const others = this.#sleepers.all.filter((plugin) => !keys.has(sleeperKey(plugin)));
    const units = this.#units();
    // Only to see whether they may: throws before anything has changed.
    this.#snapshots.declarations(units, this.#sleepers.inForce(units, [...others, ...fresh]), () => true, undefined);
    for (const { id, level = 'builtin' } of fresh) if (level === 'builtin') this.#reserved.add(id);
    this.#sleepers.add(fresh);
    this.#refresh();
  }

  /** Loads every introduced plugin that taps a hook; without what a plugin requires, the others load all the same. */
  async boot(limitMs = 10_000): Promise<ChangeResult> {
    return wakeEager(this.#eager(), (wake) => this.change({ wake, limitMs }));
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
    return this.owners.isInChange ? Promise.resolve(this.#refused()) : this.#enqueue(change);
  }

  #refused(): ChangeResult {
    return changeInChange(this.owners.current()?.activation?.id ?? 'kern');
  }

  /** `prepare` runs when it is the change's turn. */
  #enqueue(change: Change, prepare = (): void => {}): Promise<ChangeResult> {
    const done = this.#queue.then(() => {
      prepare();
      return this.#apply(change);
    });
    this.#queue = done.catch(() => {});
    return this.track(done);
  }

  /** Counts work that will end in a change, so that a turn waits for it. */
  track<T>(work: Promise<T>): Promise<T> {
    return this.#work.track(work);
  }

  async #apply(change: Change): Promise<ChangeResult> {
    if (this.#shutdown !== undefined) return closed();
    const open = { open: true };
    return this.owners.within(open, async () => {
      this.#bench.reconsider(change, this.#known);
      for (;;) {
        const attempt = new Attempt(this.#ground, change);
        const outcome = await attempt.run();
        this.#created += attempt.made.length;
        const isOutdated = outcome.ok && outcome.manifests !== this.#sleepers.version;
        if (outcome.ok && !isOutdated) {
          open.open = false;
          const result = this.#swap(change, outcome);
          attempt.close();
          return result;
        }
        for (const activation of attempt.made.toReversed()) await this.#drain.dispose(activation);
        attempt.close();
        if (this.#shutdown !== undefined) return closed();
        if (outcome.ok) continue;
        const { culprit, error } = outcome;
        // What comes back with a change that is not about it must not stop that change.
        const isReturning =
          culprit !== undefined &&
          !attempt.named.has(culprit.key) &&
          this.#known.includes(culprit) &&
          !this.#active.has(culprit.key);
        if (!isReturning) {
          open.open = false;
          return this.#keepOld(error, culprit, change);
        }
        this.#bench.add(culprit);
        this.#fail(culprit, error);
      }
    });
  }

  #makeGround(): Ground {
    return {
      core: this,
      sleepers: this.#sleepers,
      asking: this.#asking,
      snapshots: this.#snapshots,
      reserved: this.#reserved,
      known: () => this.#known,
      isClosing: () => this.#shutdown !== undefined,
      off: (id, level) => this.#settings.plugin(id, level).off,
      isBenched: (unit) => this.#bench.has(unit),
      onFree: (activation) => this.#drain.onFree(activation),
    };
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
    this.#bench.retain(to.known);
    this.#sleepers.remove(to.awake);
    this.#active.clear();
    for (const activation of to.next) this.#active.set(activation.unit.key, activation);
    // Made here, once all have started: a start may have registered more, and answers may have come meanwhile.
    const answers = new Map([...before.answers, ...to.fresh]);
    const { next: activations, declarations, order } = to;
    this.#snapshot = this.#snapshots.make({ activations, declarations, answers, order }, before);
    this.cells.takeDisplaced();
    this.#asking.prune();
    this.#asking.watch(to.fresh.values());
    for (const activation of old) {
      if (replaced.has(activation.unit.key)) this.#drain.replace(activation);
      else this.#drain.remove(activation);
    }
    const after = this.#snapshot;
    for (const activation of to.made) this.#snapshots.reportUndeclared(activation, after);
    this.#announcer.tell(() => {
      for (const { unit } of to.made) this.announce(changeOf(unit, 'live'));
      for (const { unit } of unloaded) this.announce(changeOf(unit, 'unloaded'));
      this.#announcer.capabilities(before, after);
    });
    return {
      ok: true,
      live: to.made.map((activation) => activation.id),
      unloaded: unloaded.map((activation) => activation.id),
    };
  }

  #keepOld(error: unknown, culprit: PluginUnit | undefined, change: Change): ChangeResult {
    const id = culprit?.definition.id ?? 'kern';
    const message = messageOf(error);
    if (culprit === undefined) this.journal.add(id, 'error', 'load_failed', message, error);
    else this.#fail(culprit, error);
    for (const unit of change.put ?? []) {
      if (unit.key !== culprit?.key && !this.#active.has(unit.key) && this.#off(unit) === undefined)
        this.#fail(unit, error);
    }
    // What was taken from the old is taken again by running its setup anew.
    for (const activation of this.cells.takeDisplaced()) {
      if (this.#active.get(activation.unit.key) === activation) void this.#enqueue({ put: [{ ...activation.unit }] });
    }
    return failed(id, error);
  }

  #fail(unit: PluginUnit, error: unknown): void {
    this.recordFailure(failingUnit(unit), error);
  }

  /** A new snapshot that shares what did not change. */
  #refresh(): void {
    const { activations, answers } = this.#snapshot;
    const declarations = this.#snapshots.declarationsNow(this.#units(), this.#snapshot.declarations);
    const parts = { activations, declarations, answers, order: this.#order };
    this.#replace(this.#snapshots.make(parts, this.#snapshot));
  }

  #replace(snapshot: Snapshot): void {
    const before = this.#snapshot;
    this.#snapshot = snapshot;
    this.#asking.prune();
    this.#announcer.capabilities(before, snapshot);
  }

  #units(): readonly PluginUnit[] {
    return this.#snapshot.activations.map(({ unit }) => unit);
  }

  changed(activation: Activation): void {
    if (this.#active.get(activation.unit.key) === activation) this.#refresh();
  }

  pin(snapshot: Snapshot): Pin {
    return this.#drain.pin(snapshot);
  }

  // --- Idle plugins and providers --------------------------------------------------------------------------------

  wake(capability: string, where: Where, key?: string): Promise<void> {
    return this.#sleepers.wake(capability, where, key);
  }

  /** Wakes and asks on behalf of those who read it before. */
  async #seek(capability: string, where: Where): Promise<void> {
    await this.wake(capability, where);
    await this.ask(capability, where, undefined, this.#snapshot);
  }

  ask(
    capability: string,
    where: Where,
    signal: AbortSignal | undefined,
    from: Snapshot,
  ): Promise<ReadonlyMap<string, Answer>> {
    return this.#asking.load(capability, where, signal, from);
  }

  unanswered(capability: string, where: Where, from: Snapshot): readonly string[] {
    return this.#asking.unanswered(capability, where, from);
  }

  /** What a provider's last answers warned of, by provider id. */
  warnings(provider: string): readonly string[] {
    return this.#asking.warnings(provider);
  }

  /** New settings: plugins are switched on and off, and those whose own settings changed are set up again, each for itself. */
  async configure(settings: SettingsPort, keys: readonly string[]): Promise<ChangeResult> {
    if (this.owners.isInChange) return this.#refused();
    const about = (id: string): boolean => isAboutPlugin(keys, id);
    let touched: readonly Activation[] = [];
    const switched = await this.#enqueue({}, () => {
      const before = this.#standing();
      this.#settings = settings;
      touched = [...this.#active.values()].filter(({ id }) => about(id));
      this.#bench.release(about);
      this.#sleepers.encourage(about);
      this.#refresh();
      for (const activation of this.#active.values()) applySettings(this, activation, this.outlook, keys);
      if (before !== undefined) this.#announcer.changes(switchesBetween(before, this.#standing() ?? before));
    });
    const results = [switched];
    for (const activation of touched) {
      const { unit } = activation;
      // Gone, or set up with the new settings already.
      if (this.#active.get(unit.key) !== activation) continue;
      results.push(await this.change({ put: [{ ...unit, revision: unit.revision + 1 }] }));
    }
    for (const plugin of this.#eager()) results.push(await this.change({ wake: [plugin] }));
    this.#announcer.config(keys);
    return together(results);
  }

  /** Of what is found, since switches take none of it out of the snapshot; undefined where nobody hears of it. */
  #standing(): Standing | undefined {
    if (!this.#announcer.isHeard) return undefined;
    return standingOf(new Set(this.#snapshot.providers.map(({ capability }) => capability)), this.outlook);
  }

  // --- Events and ends -------------------------------------------------------------------------------------------

  announce(change: PluginChange): void {
    this.#announcer.plugin(change);
  }

  /** Changes that are queued or running and open debounce windows are through, or the limit is. */
  async settled(limitMs: number): Promise<void> {
    // In the middle of a change that would wait for itself.
    if (!this.owners.isInChange) await this.#work.settled(limitMs, this.clock, () => this.#watch.pending());
  }

  touched(paths: readonly string[]): void {
    this.owners.free(() => this.#watch.touched(paths));
  }

  watch(owner: string, paths: readonly string[], fn: (changed: readonly string[]) => void, since?: number): Handle {
    this.#watches += 1;
    // A name of its own: two revisions of a plugin watch side by side while one takes over.
    const name = `${owner}~${this.#watches}`;
    return this.owners.free(() => this.#watch.watch(name, paths, fn, since));
  }

  missing(keeper: string): string | undefined {
    if (this.#settings.plugin(keeper, 'builtin').off !== undefined) return undefined;
    return whyNot(this, builtinKey(keeper)) ?? 'it is not installed';
  }

  channel(plugin: string, name: string, line: string): void {
    this.#channels.write(plugin, name, line);
  }

  /** The last lines of the channels, by `plugin/name`. */
  get channels(): ReadonlyMap<string, readonly string[]> {
    return this.#channels.all;
  }

  get failures(): ReadonlyMap<string, Failure> {
    return this.#failures.all;
  }

  /** A plugin failed, also one that did not get as far as a change: a file that does not load. */
  recordFailure(unit: Failure['unit'], error: unknown): void {
    const isKept = this.#active.has(unit.key);
    const { message } = this.#failures.record(unit, error, isKept);
    this.announce({
      id: unit.id,
      state: isKept ? 'kept' : 'failed',
      revision: unit.revision,
      reason: isKept ? keptReason(unit, error, message) : failedText(unit, error, message),
      file: unit.source,
    });
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
  get counts(): {
    readonly created: number;
    readonly disposed: number;
    readonly live: number;
    readonly draining: number;
  } {
    return {
      created: this.#created,
      disposed: this.#drain.disposed,
      live: this.#active.size,
      draining: this.#drain.draining.length,
    };
  }

  /** Ends of old revisions that have begun are through. */
  drained(): Promise<void> {
    return this.#drain.settled();
  }

  /** The last chance of every plugin, synchronous, once. */
  crash(): void {
    crashAll([...this.#active.values(), ...this.#drain.draining], this);
  }

  /** Ends everything, dependents first. A second call waits for the first. */
  shutdown(): Promise<void> {
    this.#shutdown ??= this.#end(this.owners.current()?.activation);
    return this.#shutdown;
  }

  async #end(caller: Activation | undefined): Promise<void> {
    if (!this.owners.isInChange) await this.#queue;
    await this.owners.free(async () => {
      this.#asking.close();
      this.#lookout.close();
      await endAll([...this.#drain.draining, ...this.#snapshot.activations].reverse(), caller, this.#drain, this);
      this.#active.clear();
    });
  }
}
