import type { Activation, PluginUnit } from './activation.ts';
import type { Asking } from './asking.ts';
import type { Level } from './capability.ts';
import type { Change } from './change.ts';
import type { Core } from './core.ts';
import { LoadTimes } from './cost.ts';
import type { Declarations } from './declarations.ts';
import { KernError, PluginError } from './error.ts';
import { within } from './limit.ts';
import type { Staging } from './offering.ts';
import { type Plan, plan } from './plan.ts';
import type { Token } from './plugin.ts';
import { Refusal } from './refusal.ts';
import type { Sleepers } from './sleepers.ts';
import { type Answer, type IdlePlugin, type Snapshot, sleeperKey, sleeperUnit } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';
import { stage, start } from './stage.ts';
import { SnapshotView } from './view.ts';

/** What an attempt stands on. It changes nothing of it. */
export interface Ground {
  readonly core: Core;
  readonly sleepers: Sleepers;
  readonly asking: Asking;
  readonly snapshots: Snapshots;
  known(): readonly PluginUnit[];
  /** Ids that built-ins ever had. */
  readonly reserved: ReadonlySet<string>;
  isClosing(): boolean;
  off(id: string, level: Level): string | undefined;
  isBenched(unit: PluginUnit): boolean;
  onFree(activation: Activation): void;
}

/** What a change comes to, once everything has started. */
export interface Outcome extends Plan {
  readonly ok: true;
  /** The version of the manifests it was planned with. */
  readonly manifests: number;
  readonly next: readonly Activation[];
  readonly made: readonly Activation[];
  readonly declarations: Declarations;
  readonly fresh: ReadonlyMap<string, Answer>;
  /** Keys of sleepers that are none any more. */
  readonly awake: ReadonlySet<string>;
}

/** Why it cannot be, and by whose fault. */
export interface Defeat {
  readonly ok: false;
  readonly error: unknown;
  readonly culprit: PluginUnit | undefined;
}

/** One try at a change, from the plan to the start. It swaps nothing: who tries it does, or disposes what it made. */
export class Attempt {
  readonly made: Activation[] = [];
  /** Keys of the plugins that the change is about. */
  readonly named = new Set<string>();
  readonly #ground: Ground;
  readonly #change: Change;
  readonly #limitMs: number;
  readonly #stagings: Staging[] = [];
  readonly #loadTimes = new LoadTimes();
  #culprit: PluginUnit | undefined;

  constructor(ground: Ground, change: Change) {
    this.#ground = ground;
    this.#change = change;
    this.#limitMs = change.limitMs ?? 3_000;
  }

  async run(): Promise<Outcome | Defeat> {
    try {
      return await this.#run();
    } catch (error) {
      return { ok: false, error, culprit: this.#culpritOf(error) };
    }
  }

  async #run(): Promise<Outcome> {
    const manifests = this.#ground.sleepers.version;
    const { core, asking, sleepers, snapshots } = this.#ground;
    const known = this.#ground.known();
    const { woken, put } = await this.#withSleepers();
    for (const unit of put) this.named.add(unit.key);
    this.#culprit = put.length === 1 ? put[0] : undefined;
    const drop = new Set(this.#change.drop);
    const kept = known.filter((unit) => !drop.has(unit.key) && !this.named.has(unit.key));
    // What is switched off stays known, so that it can be switched on again.
    const isResting = (unit: PluginUnit): boolean =>
      this.#ground.off(unit.definition.id, unit.level) !== undefined || this.#ground.isBenched(unit);
    const resting = [...kept, ...put].filter(isResting);
    const awake = new Set([...woken.map(sleeperKey), ...this.named, ...drop]);
    const asleep = sleepers.all.filter(
      (plugin) =>
        this.#ground.off(plugin.id, plugin.level ?? 'builtin') === undefined && !awake.has(sleeperKey(plugin)),
    );
    const builtins = [...known, ...put].filter((unit) => unit.level === 'builtin');
    const keepers = keepersOf([
      ...builtins.flatMap((unit) => unit.definition.declares ?? []),
      ...sleepers.all.flatMap(({ level = 'builtin', declares }) => (level === 'builtin' ? declares : [])),
    ]);
    const planned = plan({
      known: known.filter((unit) => !isResting(unit)),
      put: put.filter((unit) => !isResting(unit)),
      isLive: (unit) => core.active(unit.key)?.unit === unit,
      drop: new Set([...drop, ...resting.map((unit) => unit.key)]),
      sleeping: asleep.map((plugin) => sleepers.standOf(plugin).unit),
      keepers,
      reserved: new Set([...this.#ground.reserved, ...builtins.map((unit) => unit.definition.id)]),
    });
    const before = core.snapshot();
    const idle = sleepers.inForce(planned.effective).filter((plugin) => asleep.includes(plugin));
    const declarations = snapshots.declarations(
      planned.effective,
      idle,
      (unit) => core.active(unit.key) !== undefined,
      before.declarations,
    );
    const next = await this.#stage(planned.effective, declarations, keepers);
    const candidate = snapshots.make(
      { activations: next, declarations, answers: before.answers, order: planned.order },
      before,
    );
    const fresh = await asking.carry(candidate, this.made);
    await this.#start({ ...candidate, answers: new Map([...candidate.answers, ...fresh]) });
    const { effective, order } = planned;
    return {
      ok: true,
      manifests,
      known: [...planned.known, ...resting],
      effective,
      order,
      next,
      made: this.made,
      awake,
      fresh,
      declarations,
    };
  }

  async #stage(
    units: readonly PluginUnit[],
    declarations: Declarations,
    keepers: ReadonlySet<string>,
  ): Promise<readonly Activation[]> {
    const { core } = this.#ground;
    const next: Activation[] = [];
    for (const unit of units) {
      const active = core.active(unit.key);
      if (active?.unit === unit) {
        next.push(active);
        continue;
      }
      this.#goOn(unit);
      const staging: Staging = { predecessor: active, declarations };
      this.#stagings.push(staging);
      const isKeeper = unit.level === 'builtin' && keepers.has(unit.definition.id);
      const options = {
        staging,
        limitMs: this.#limitMs,
        onFree: (activation: Activation) => this.#ground.onFree(activation),
        isKeeper,
      };
      next.push(await stage(core, unit, options, (activation) => this.made.push(activation)));
    }
    this.#goOn(undefined);
    return next;
  }

  async #start(candidate: Snapshot): Promise<void> {
    const { core } = this.#ground;
    // Pins nothing: what it shows is live or staged. Afterwards it shows what is there then.
    using preview = new SnapshotView(core, core.where, core.outlook.ui, {
      parent: core.outlook as SnapshotView,
      snapshot: candidate,
    });
    for (const activation of this.made) {
      this.#goOn(activation.unit);
      await start(core, activation, preview, this.#limitMs);
    }
    this.#goOn(undefined);
  }

  #goOn(next: PluginUnit | undefined): void {
    if (this.#ground.isClosing()) throw new KernError('kernel_closed', 'kern is shutting down');
    this.#culprit = next;
  }

  /** Adds the idle plugins that this change wakes, and those it requires. */
  async #withSleepers(): Promise<{ woken: readonly IdlePlugin[]; put: readonly PluginUnit[] }> {
    const { core, sleepers } = this.#ground;
    const { wake = [] } = this.#change;
    const put = [...(this.#change.put ?? [])];
    const woken: IdlePlugin[] = [];
    for (;;) {
      const keys = new Set(put.map((unit) => unit.key));
      const requires = new Set(put.flatMap((unit) => unit.definition.requires ?? []));
      const isNext = (plugin: IdlePlugin): boolean =>
        !keys.has(sleeperKey(plugin)) && (wake.includes(plugin) || requires.has(plugin.id));
      const next = sleepers.inForce([...core.snapshot().activations.map(({ unit }) => unit), ...put]).filter(isNext);
      if (next.length === 0) return { woken, put };
      woken.push(...next);
      for (const plugin of next) this.named.add(sleeperKey(plugin));
      put.push(...(await Promise.all(next.map((plugin) => this.#load(plugin)))));
    }
  }

  async #load(plugin: IdlePlugin): Promise<PluginUnit> {
    try {
      const loaded = this.#loadTimes.begin();
      const definition = await within(this.#ground.core.clock, this.#limitMs, plugin.load(), () => {
        throw new KernError('load_late', `it did not load within ${this.#limitMs} ms`);
      });
      if (definition.id !== plugin.id)
        throw new KernError('manifest_id', `its manifest says ${plugin.id}, its code ${definition.id}`, {
          hint: 'make the two ids the same',
        });
      return { ...sleeperUnit(plugin, definition), loadMs: loaded() };
    } catch (error) {
      this.#culprit ??= sleeperUnit(plugin);
      throw new PluginError(plugin.id, 'loading', error);
    }
  }

  /** Whose failure it was: of several that cannot be together, one the change is about, else one that is new. */
  #culpritOf(error: unknown): PluginUnit | undefined {
    if (!(error instanceof Refusal)) return this.#culprit;
    const { core } = this.#ground;
    return (
      error.units.find(({ key }) => this.named.has(key)) ??
      error.units.find(({ key }) => core.active(key) === undefined) ??
      error.units[0]
    );
  }

  /** It is over, whatever came of it: no scope keeps what it knew of it. */
  close(): void {
    for (const staging of this.#stagings) {
      staging.predecessor = undefined;
      staging.declarations = undefined;
    }
  }
}

/** Ids of plugins that guard hooks. */
function keepersOf(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(
    tokens.flatMap((token) => {
      if (token.token !== 'hook' || !('guard' in token)) return [];
      const { guard } = token as { readonly guard?: { readonly keeper?: string } };
      return guard?.keeper ?? [];
    }),
  );
}
