import type { Activation, PluginUnit, ProviderRecord } from './activation.ts';
import { type Asked, ask } from './answers.ts';
import type { Entry, Where } from './capability.ts';
import { Cells } from './cells.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Core, Owned } from './core.ts';
import { Drain } from './drain.ts';
import { codeOf, KernError, messageOf } from './error.ts';
import { EventBus } from './event-bus.ts';
import { capabilityChanged, configChanged, type PluginChange, pluginChanged } from './events.ts';
import { CompiledHooks } from './hooks.ts';
import { Ownership } from './owner.ts';
import { plan } from './plan.ts';
import type { Context, Handle, PluginDefinition, TrustGate, View } from './plugin.ts';
import { Journal } from './report.ts';
import { absentUi, type Ui } from './session.ts';
import { noSettings, type SettingsPort } from './settings.ts';
import { type Answer, answerKey, type Declaration, declarationsOf, declaredCapability, type IdlePlugin, type Snapshot, tapsOf, underDeclaration } from './snapshot.ts';
import { stage, start } from './stage.ts';
import { changesBetween } from './changes.ts';
import { SnapshotView } from './view.ts';

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

export interface Change {
  readonly put?: readonly PluginUnit[];
  /** Keys of plugins that go. */
  readonly drop?: readonly string[];
  /** Idle plugins that wake with it. */
  readonly wake?: readonly IdlePlugin[];
  /** For each step of each plugin, in ms. Default 3000. */
  readonly limitMs?: number;
}

export type ChangeResult =
  | { readonly ok: true; readonly live: readonly string[]; readonly unloaded: readonly string[] }
  | { readonly ok: false; readonly plugin: string; readonly code: string; readonly message: string; readonly error: unknown };

export interface Failure {
  readonly unit: Pick<PluginUnit, 'key' | 'level' | 'source' | 'revision'> & { readonly id: string };
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Knows how things are plugged in, and nothing of what is. One a process is the rule; two are blind to each other. */
export class Kernel implements Core {
  readonly owners = new Ownership();
  readonly journal = new Journal();
  readonly clock: Clock;
  readonly trust: TrustGate;
  readonly where: Where;
  readonly cells = new Cells(this.journal);
  readonly events = new EventBus();
  readonly outlook: View;
  readonly keepers: 'enforced' | 'none';
  readonly freezeDeeply: boolean;
  readonly owned = new WeakMap<Entry<unknown>, Owned>();
  readonly #drain: Drain;
  readonly #watch: WatchPort | undefined;
  #settings: SettingsPort;
  #snapshot: Snapshot;
  #known: readonly PluginUnit[] = [];
  #idle: readonly IdlePlugin[] = [];
  #reserved = new Set<string>();
  readonly #active = new Map<string, Activation>();
  readonly #failures = new Map<string, Failure>();
  readonly #waking = new Map<string, Promise<void>>();
  readonly #asking = new Map<string, Promise<void>>();
  readonly #warnings = new Map<string, readonly string[]>();
  readonly #answerWatches = new Map<string, Handle>();
  readonly #channels = new Map<string, string[]>();
  #queue: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #created = 0;
  #closed = false;

  constructor(options: KernelOptions) {
    this.clock = options.clock ?? systemClock;
    this.where = options.where;
    this.trust = options.trust ?? { check: async () => 'trusted' };
    this.keepers = options.keepers ?? 'enforced';
    this.freezeDeeply = options.freezeDeeply === true;
    this.#settings = options.settings ?? noSettings;
    this.#watch = options.watch;
    this.#drain = new Drain(this.journal, this.clock, this.cells);
    this.#snapshot = this.#makeSnapshot([], declarationsOf([], [], kernelTokens), new Map());
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

  /** Makes the built-ins known by their manifests. Those that tap hooks are loaded by `boot`. */
  introduce(idle: readonly IdlePlugin[]): void {
    for (const plugin of idle) this.#reserved.add(plugin.id);
    this.#idle = [...this.#idle, ...idle];
    this.#refresh();
  }

  /** Loads every introduced plugin that taps a hook, as one change. */
  async boot(limitMs = 10_000): Promise<ChangeResult> {
    const eager = this.#idle.filter((plugin) => (plugin.taps?.length ?? 0) > 0 && this.#offBuiltin(plugin) === undefined);
    return this.change({ wake: eager, limitMs });
  }

  #offBuiltin(plugin: IdlePlugin): string | undefined {
    return this.#settings.plugin(plugin.id, 'builtin').off;
  }

  /** One at a time, all or nothing: the snapshot is always that of the last success. */
  change(change: Change): Promise<ChangeResult> {
    this.#queued += 1;
    const done = this.#queue.then(() => this.#apply(change)).finally(() => {
      this.#queued -= 1;
    });
    this.#queue = done.catch(() => {});
    return done;
  }

  async #apply(change: Change): Promise<ChangeResult> {
    const made: Activation[] = [];
    let culprit: PluginUnit | undefined;
    try {
      if (this.#closed) throw new KernError('kernel_closed', 'kern is shutting down');
      const { wakes, put } = await this.#withSleepers(change);
      const idle = this.#idle.filter((plugin) => !wakes.includes(plugin));
      const isOn = (unit: PluginUnit): boolean => this.#settings.plugin(unit.definition.id, unit.level).off === undefined;
      const drop = change.drop ?? [];
      // What is switched off stays known, so that it can be switched on again.
      const off = [...this.#known.filter((unit) => !drop.includes(unit.key) && !put.some((other) => other.key === unit.key)), ...put].filter((unit) => !isOn(unit));
      culprit = put.length === 1 ? put[0] : undefined;
      const planned = plan({
        known: this.#known.filter(isOn),
        put: put.filter(isOn),
        drop: [...drop, ...off.map((unit) => unit.key)],
        idle: idle.filter((plugin) => this.#offBuiltin(plugin) === undefined),
        keepers: this.#keepers(),
        reserved: this.#reserved,
      });
      const declarations = declarationsOf(planned.effective, idle, kernelTokens);
      const limitMs = change.limitMs ?? 3_000;
      let candidate: Snapshot = { ...this.#snapshot, declarations };
      const next: Activation[] = [];
      for (const unit of planned.effective) {
        const active = this.#active.get(unit.key);
        if (active?.unit === unit) {
          next.push(active);
          continue;
        }
        culprit = unit;
        const options = { predecessor: active, candidate: () => candidate, limitMs, onIdle: this.#drain.onIdle, isKeeper: this.#keepers().has(unit.definition.id) };
        next.push(
          await stage(this, unit, options, (activation) => {
            made.push(activation);
            this.#created += 1;
          }),
        );
      }
      candidate = this.#makeSnapshot(next, declarations, await this.#carriedAnswers(next, made), idle);
      refuseInvalid(candidate, made);
      const preview = new SnapshotView(this, this.where, this.outlook.ui, { parent: this.outlook as SnapshotView, snapshot: candidate, release: () => {} });
      for (const activation of made) {
        culprit = activation.unit;
        await start(this, activation, preview, limitMs);
      }
      culprit = undefined;
      return this.#swap({ known: [...planned.known, ...off], idle, next, made, declarations, answers: candidate.answers });
    } catch (error) {
      return this.#keepOld(error, culprit, made);
    }
  }

  /** Adds the idle plugins that this change wakes, and those it requires. */
  async #withSleepers(change: Change): Promise<{ wakes: readonly IdlePlugin[]; put: readonly PluginUnit[] }> {
    const wakes = new Set(change.wake ?? []);
    const loaded = new Map<IdlePlugin, PluginDefinition>();
    const put = [...(change.put ?? [])];
    const requires = new Set(put.flatMap((unit) => unit.definition.requires ?? []));
    for (let grew = true; grew; ) {
      grew = false;
      for (const plugin of this.#idle) {
        if (requires.has(plugin.id) && this.#offBuiltin(plugin) === undefined) wakes.add(plugin);
        if (!wakes.has(plugin) || loaded.has(plugin)) continue;
        grew = true;
        const definition = await plugin.load();
        loaded.set(plugin, definition);
        for (const id of definition.requires ?? []) requires.add(id);
      }
    }
    for (const definition of loaded.values()) put.push({ key: builtinKey(definition.id), level: 'builtin', source: 'built-in', definition, revision: 1 });
    return { wakes: [...loaded.keys()], put };
  }

  /** A provider that takes another's place answers at once for the places the other had answered for. */
  async #carriedAnswers(next: readonly Activation[], made: readonly Activation[]): Promise<ReadonlyMap<string, Answer>> {
    const providers = new Map(next.flatMap((activation) => activation.providers.map((record) => [answerKey(record, ''), record] as const)));
    const answers = new Map<string, Answer>();
    await Promise.all(
      [...this.#snapshot.answers].map(async ([key, answer]) => {
        const record = providers.get(answerKey(answer.record, ''));
        if (record === undefined) return;
        if (!made.includes(record.activation)) return void answers.set(key, answer);
        const asked = await ask(record, { ...this.where, cwd: answer.cwd }, this.#snapshot, this);
        this.#note(key, asked);
        if (asked.state === 'answered') answers.set(key, asked.answer);
      }),
    );
    return answers;
  }

  #swap(to: { known: readonly PluginUnit[]; idle: readonly IdlePlugin[]; next: readonly Activation[]; made: readonly Activation[]; declarations: ReadonlyMap<string, Declaration>; answers: ReadonlyMap<string, Answer> }): ChangeResult {
    const before = this.#snapshot;
    const old = before.activations.filter((activation) => !to.next.includes(activation));
    for (const activation of to.made) {
      const predecessor = this.#active.get(activation.unit.key);
      if (predecessor !== undefined) this.cells.carryOver(predecessor, activation);
      activation.state = 'live';
    }
    // Made here, once all have started: a start may have registered more.
    this.#snapshot = this.#makeSnapshot(to.next, to.declarations, to.answers, to.idle);
    this.#known = to.known;
    this.#idle = to.idle;
    this.#active.clear();
    for (const activation of to.next) this.#active.set(activation.unit.key, activation);
    this.cells.takeDisplaced();
    const replaced = new Set(to.made.map((activation) => activation.unit.key));
    for (const activation of to.made) this.#failures.delete(activation.unit.key);
    for (const activation of old) {
      if (replaced.has(activation.unit.key)) this.#drain.replace(activation);
      else this.#drain.remove(activation);
    }
    this.#pruneAnswers();
    const unloaded = old.filter((activation) => !replaced.has(activation.unit.key));
    this.#announce(before, to.made, unloaded);
    return { ok: true, live: to.made.map((activation) => activation.id), unloaded: unloaded.map((activation) => activation.id) };
  }

  async #keepOld(error: unknown, culprit: PluginUnit | undefined, made: readonly Activation[]): Promise<ChangeResult> {
    for (const activation of [...made].reverse()) await this.#drain.dispose(activation);
    const displaced = this.cells.takeDisplaced();
    const id = culprit?.definition.id ?? 'kern';
    const message = messageOf(error);
    const kept = culprit !== undefined && this.#active.has(culprit.key);
    this.journal.add(id, 'error', kept ? 'kept_old' : 'load_failed', kept ? `kept the old: ${message}` : message, error);
    if (culprit !== undefined) this.#failures.set(culprit.key, failureOf(culprit, error));
    if (culprit !== undefined) this.announce({ id, state: kept ? 'kept' : 'failed', revision: culprit.revision, reason: message, file: culprit.source });
    // What was taken from the old is taken again by running its setup anew.
    for (const activation of displaced) if (this.#active.get(activation.unit.key) === activation) void this.change({ put: [{ ...activation.unit }] });
    return { ok: false, plugin: id, code: codeOf(error) ?? 'plugin_failed', message, error };
  }

  #makeSnapshot(activations: readonly Activation[], declarations: ReadonlyMap<string, Declaration>, answers: ReadonlyMap<string, Answer>, idle: readonly IdlePlugin[] = this.#idle ?? []): Snapshot {
    const taps = tapsOf(activations);
    const before = this.#snapshot as Snapshot | undefined;
    const sameTaps = before !== undefined && before.declarations === declarations && before.hooks.taps.length === taps.length && taps.every((tap, at) => tap === before.hooks.taps[at]);
    const underDeclared = (declared: ReadonlyMap<string, Declaration>) => (offer: Activation['offers'][number]) => underDeclaration(offer, declaredCapability({ declarations: declared }, offer.capability.id));
    return Object.freeze({
      number: (before?.number ?? 0) + 1,
      activations: Object.freeze([...activations]),
      place: new Map(activations.map((activation, place) => [activation, place])),
      offers: Object.freeze(activations.flatMap((activation) => activation.offers.map(underDeclared(declarations)))),
      providers: Object.freeze(activations.flatMap((activation) => activation.providers)),
      answers,
      idle: Object.freeze(idle.filter((plugin) => this.#offBuiltin(plugin) === undefined)),
      declarations,
      hooks: sameTaps ? before.hooks : new CompiledHooks(taps, this),
    });
  }

  /** A new snapshot that shares what did not change. */
  #refresh(answers: ReadonlyMap<string, Answer> = this.#snapshot.answers): void {
    const before = this.#snapshot;
    const declarations = declarationsOf(
      before.activations.map((activation) => activation.unit),
      this.#idle,
      kernelTokens,
    );
    this.#snapshot = this.#makeSnapshot(before.activations, isSame(declarations, before.declarations) ? before.declarations : declarations, answers);
  }

  changed(activation: Activation): void {
    const before = this.#snapshot;
    if (this.#active.get(activation.unit.key) !== activation) return;
    this.#refresh();
    this.#announceCapabilities(before);
  }

  pin(snapshot: Snapshot): () => void {
    return this.#drain.pin(snapshot);
  }

  // --- Idle plugins and providers -------------------------------------------------------------------------------

  async wake(capability: string): Promise<void> {
    const sleepers = this.#snapshot.idle.filter((plugin) => capability in plugin.contributes || plugin.declares.some((token) => token.token === 'capability' && token.id === capability));
    if (sleepers.length === 0) return;
    const woken = this.#wakeTogether(sleepers);
    // Within a change the queue is held by that change: waiting here would wait for itself.
    if (this.owners.current()?.inChange !== true) await woken;
  }

  async #wakeTogether(sleepers: readonly IdlePlugin[]): Promise<void> {
    const fresh = sleepers.filter((plugin) => !this.#waking.has(plugin.id));
    if (fresh.length > 0) {
      const woken = this.#wakeOrReport(fresh).finally(() => {
        for (const plugin of fresh) this.#waking.delete(plugin.id);
      });
      for (const plugin of fresh) this.#waking.set(plugin.id, woken);
    }
    await Promise.all(sleepers.map((plugin) => this.#waking.get(plugin.id)));
  }

  async #wakeOrReport(sleepers: readonly IdlePlugin[]): Promise<void> {
    const still = sleepers.filter((plugin) => this.#idle.includes(plugin));
    const together = await this.change({ wake: still, limitMs: 10_000 });
    if (together.ok || still.length === 1) return void (together.ok || this.#giveUp(still));
    // One of them fails: the others must not suffer for it.
    for (const plugin of still) if (!(await this.change({ wake: [plugin], limitMs: 10_000 })).ok) this.#giveUp([plugin]);
  }

  /** A plugin that does not wake is not tried at every use; its failure is on record. */
  #giveUp(plugins: readonly IdlePlugin[]): void {
    this.#idle = this.#idle.filter((plugin) => !plugins.includes(plugin));
    this.#refresh();
  }

  async ask(capability: string, where: Where, signal: AbortSignal | undefined): Promise<void> {
    const records = this.#snapshot.providers.filter((record) => record.capability.id === capability && this.#isAsked(record, where));
    await Promise.all(records.map((record) => this.#askOnce(record, where, signal)));
  }

  #isAsked(record: ProviderRecord, where: Where): boolean {
    const { activation, provider } = record;
    if (activation.level === 'project' && activation.unit.root !== where.root) return false;
    const isOff = (['project', 'user'] as const).every((level) => this.#settings.provider(provider.id, level).off !== undefined);
    return !isOff && this.#snapshot.answers.get(answerKey(record, where.cwd))?.record !== record;
  }

  #askOnce(record: ProviderRecord, where: Where, signal: AbortSignal | undefined): Promise<void> {
    const key = answerKey(record, where.cwd);
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = this.#askNow(record, where, signal).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  async #askNow(record: ProviderRecord, where: Where, signal: AbortSignal | undefined): Promise<void> {
    const key = answerKey(record, where.cwd);
    const asked = await ask(record, where, this.#snapshot, this, signal);
    this.#note(key, asked);
    if (asked.state === 'answered') this.#join(key, asked.answer, where);
    if (asked.state !== 'late') return;
    void asked.later.then((later) => {
      this.#note(key, later);
      if (later.state === 'answered') this.#join(key, later.answer, where);
    });
  }

  #note(key: string, asked: Asked): void {
    const warnings = asked.state === 'answered' ? asked.answer.warnings : [asked.warning];
    this.#warnings.set(key, warnings);
    const plugin = this.#snapshot.providers.find((record) => key.startsWith(answerKey(record, '')))?.activation.id ?? 'kern';
    for (const warning of warnings) this.journal.add(plugin, 'warning', 'provider_warning', warning);
  }

  #join(key: string, answer: Answer, where: Where): void {
    if (!this.#snapshot.providers.includes(answer.record)) return;
    const before = this.#snapshot;
    this.#refresh(new Map(before.answers).set(key, answer));
    this.#watchAnswer(key, answer, where);
    this.#announceCapabilities(before);
  }

  #watchAnswer(key: string, answer: Answer, where: Where): void {
    this.#answerWatches.get(key)?.dispose();
    this.#answerWatches.delete(key);
    if (answer.watch.length === 0) return;
    // The old answer stays until the new one is there: a provider that fails now takes nothing away.
    this.#answerWatches.set(key, this.watch(`answer:${key}`, answer.watch, () => void this.#track(this.#askNow(answer.record, where, undefined))));
  }

  /** Counts as a change under way, so that a turn waits for it. */
  #track(work: Promise<void>): Promise<void> {
    this.#queued += 1;
    return work.finally(() => {
      this.#queued -= 1;
    });
  }

  #pruneAnswers(): void {
    for (const [key, handle] of this.#answerWatches) {
      if (this.#snapshot.answers.has(key)) continue;
      handle.dispose();
      this.#answerWatches.delete(key);
    }
  }

  /** What a provider's last answers warned of, by provider id. */
  warnings(provider: string): readonly string[] {
    return [...this.#warnings].flatMap(([key, warnings]) => (key.split('\0')[2] === provider ? warnings : []));
  }

  // --- Settings --------------------------------------------------------------------------------------------------

  /** New settings: plugins are switched on and off, and those whose own settings changed are set up again. */
  async configure(settings: SettingsPort, keys: readonly string[]): Promise<ChangeResult> {
    const touched = this.#known.filter((unit) => isAbout(keys, unit.definition.id)).map((unit) => ({ ...unit, revision: unit.revision + 1 }));
    this.#settings = settings;
    this.#refresh();
    const result = await this.change({ put: touched });
    if (keys.length > 0) this.outlook.call(configChanged, { keys });
    return result;
  }

  // --- Events and ends -------------------------------------------------------------------------------------------

  announce(change: PluginChange): void {
    this.outlook.call(pluginChanged, change);
  }

  #announce(before: Snapshot, made: readonly Activation[], unloaded: readonly Activation[]): void {
    for (const { id, unit } of made) this.announce({ id, state: 'live', revision: unit.revision, file: unit.source });
    for (const { id, unit } of unloaded) this.announce({ id, state: 'unloaded', revision: unit.revision, file: unit.source });
    this.#announceCapabilities(before);
  }

  #announceCapabilities(before: Snapshot): void {
    if (this.outlook.taps(capabilityChanged) === 0) return;
    for (const change of changesBetween(before, this.#snapshot)) this.outlook.call(capabilityChanged, change);
  }

  /** Changes that are queued or running and open debounce windows are through, or the limit is. */
  async settled(limitMs: number): Promise<void> {
    const { promise: limit, resolve } = Promise.withResolvers<void>();
    const cancel = this.clock.after(limitMs, resolve);
    const quiet = async (): Promise<void> => {
      await this.#watch?.pending();
      while (this.#queued > 0) {
        await this.#queue;
        await Promise.all(this.#asking.values());
        await this.#watch?.pending();
      }
    };
    await Promise.race([quiet(), limit]);
    cancel();
  }

  touched(paths: readonly string[]): void {
    this.#watch?.touched(paths);
  }

  watch(owner: string, paths: readonly string[], fn: (changed: readonly string[]) => void): Handle {
    if (this.#watch !== undefined) return this.#watch.watch(owner, paths, fn);
    const dispose = (): void => {};
    return { dispose, [Symbol.dispose]: dispose };
  }

  missing(keeper: string): string | undefined {
    const { off } = this.#settings.plugin(keeper, 'builtin');
    if (off !== undefined) return undefined;
    return this.#failures.get(builtinKey(keeper))?.message ?? (this.#idle.some((plugin) => plugin.id === keeper) ? 'it has not been woken' : 'it is not installed');
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
    return this.#failures;
  }

  /** What did not get as far as a change: a file that does not load. */
  recordFailure(unit: Failure['unit'], error: unknown): void {
    const isKept = this.#active.has(unit.key);
    const message = messageOf(error);
    this.#failures.set(unit.key, { unit, code: codeOf(error) ?? 'plugin_failed', message, hint: hintOf(error) });
    this.journal.add(unit.id, 'error', isKept ? 'kept_old' : 'load_failed', isKept ? `kept the old: ${message}` : message, error);
    this.announce({ id: unit.id, state: isKept ? 'kept' : 'failed', revision: unit.revision, reason: message, file: unit.source });
  }

  forgetFailure(key: string): void {
    this.#failures.delete(key);
  }

  get known(): readonly PluginUnit[] {
    return this.#known;
  }

  get sleeping(): readonly IdlePlugin[] {
    return this.#idle;
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
          fn();
        } catch (error) {
          this.journal.failure(activation.id, 'crash_handler_failed', 'onCrash', error);
        }
      }
    }
  }

  /** Ends everything, dependents first; each plugin gets five seconds. */
  async shutdown(): Promise<void> {
    await this.#queue;
    this.#closed = true;
    for (const handle of this.#answerWatches.values()) handle.dispose();
    this.#answerWatches.clear();
    for (const activation of [...this.#snapshot.activations, ...this.#drain.draining].reverse()) {
      activation.controller.abort();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = this.clock.after(5_000, resolve);
      await Promise.race([this.#drain.dispose(activation), late]);
      cancel();
    }
    this.#active.clear();
    await this.#drain.settled();
  }

  #keepers(): ReadonlySet<string> {
    const keepers = new Set<string>();
    for (const { token } of this.#snapshot.declarations.values()) {
      if (token.token !== 'hook' || !('guard' in token)) continue;
      const { guard } = token as { readonly guard?: { readonly keeper?: string } };
      if (guard?.keeper !== undefined) keepers.add(guard.keeper);
    }
    return keepers;
  }
}

const kernelTokens = [pluginChanged, capabilityChanged, configChanged] as const;

export const builtinKey = (id: string): string => `builtin::${id}`;

/** What makes a plugin the same over its revisions. */
export const unitKey = (level: PluginUnit['level'], root: string | undefined, id: string): string => `${level}:${root ?? ''}:${id}`;

function refuseInvalid(candidate: Snapshot, made: readonly Activation[]): void {
  for (const offer of candidate.offers) {
    if (offer.parsed.ok || !made.includes(offer.activation)) continue;
    throw new KernError('invalid_item', `plugin ${offer.activation.id} offers an invalid ${offer.capability.id}: ${offer.parsed.issues.join('; ')}`);
  }
}

function failureOf(unit: PluginUnit, error: unknown): Failure {
  const { key, level, source, revision, definition } = unit;
  return { unit: { key, level, source, revision, id: definition.id }, code: codeOf(error) ?? 'plugin_failed', message: messageOf(error), hint: hintOf(error) };
}

function hintOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
}

const isAbout = (keys: readonly string[], id: string): boolean => keys.some((key) => key === 'plugins' || key === `plugins.${id}` || key.startsWith(`plugins.${id}.`));

function isSame(a: ReadonlyMap<string, Declaration>, b: ReadonlyMap<string, Declaration>): boolean {
  if (a.size !== b.size) return false;
  for (const [id, { token, owner }] of a) {
    const other = b.get(id);
    if (other?.token !== token || other.owner !== owner) return false;
  }
  return true;
}
