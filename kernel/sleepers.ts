import { Activation, type OfferRecord, type PluginUnit } from './activation.ts';
import type { Capability, Where } from './capability.ts';
import type { Change, ChangeResult } from './change.ts';
import { type Declarations, type Declarer, declaredCapability, examine } from './declarations.ts';
import { KernError, messageOf } from './error.ts';
import type { Ownership } from './owner.ts';
import { concerns, type IdlePlugin, type Snapshot, sleeperKey, sleeperUnit } from './snapshot.ts';

export interface SleeperPorts {
  readonly owners: Ownership;
  snapshot(): Snapshot;
  change(change: Change): Promise<ChangeResult>;
  /** Those that have files to speak of, as far as they look for any. */
  withFiles(plugins: readonly IdlePlugin[], capability: string, where: Where): Promise<readonly IdlePlugin[]>;
  /** Who switched the plugin off. */
  off(plugin: IdlePlugin): string | undefined;
  /** Something is set for the plugin: what it supplies may be another thing than its manifest tells. */
  isSet(plugin: IdlePlugin): boolean;
  /** Why a plugin is not there. */
  why(key: string): string | undefined;
  /** The set of those that would wake is another one. */
  changed(): void;
}

/** A sleeper as far as tables know it: its stubs, and an activation that stands for it and has never run. */
interface Stand {
  readonly activation: Activation;
  /** By the declaration that made items of the descriptors. */
  readonly stubs: Map<Capability<unknown>, readonly OfferRecord[]>;
}

const wakeLimitMs = 10_000;

/** Plugins known from their manifests: they wake when something of theirs is used. */
export class Sleepers {
  readonly #ports: SleeperPorts;
  #all: readonly IdlePlugin[] = [];
  /** Grows when manifests become known or are tried again: what was planned without them is planned anew. */
  version = 0;
  /** Tried in vain: not tried again at every use. */
  readonly #exhausted = new Set<IdlePlugin>();
  readonly #waking = new Map<string, Promise<void>>();
  #gathered: { readonly plugins: IdlePlugin[]; readonly woken: Promise<void> } | undefined;
  readonly #stands = new WeakMap<IdlePlugin, Stand>();

  constructor(ports: SleeperPorts) {
    this.#ports = ports;
  }

  /** All that have not woken, also those that are switched off; not those that failed to wake. */
  get all(): readonly IdlePlugin[] {
    return this.#all.filter((plugin) => !this.#exhausted.has(plugin));
  }

  /** One that is known already is replaced: its manifest was edited. */
  add(plugins: readonly IdlePlugin[]): void {
    const fresh = new Set(plugins.map(sleeperKey));
    this.version += 1;
    this.#all = [...this.#all.filter((plugin) => !fresh.has(sleeperKey(plugin))), ...plugins];
  }

  remove(keys: ReadonlySet<string>): void {
    this.#all = this.#all.filter((plugin) => !keys.has(sleeperKey(plugin)));
  }

  /** What failed to wake may try again. */
  encourage(ids: (id: string) => boolean): void {
    for (const plugin of this.#exhausted) {
      if (ids(plugin.id) && this.#exhausted.delete(plugin)) this.version += 1;
    }
  }

  /** Those that would wake, given what runs: not what is switched off, and not what another plugin stands in for. */
  inForce(units: readonly PluginUnit[], plugins = this.all): readonly IdlePlugin[] {
    const replaced = new Set(
      units.flatMap(({ level, definition }) => (level === 'builtin' ? [] : (definition.replaces ?? []))),
    );
    return plugins.filter(
      (plugin) =>
        this.#ports.off(plugin) === undefined &&
        !((plugin.level ?? 'builtin') === 'builtin' && replaced.has(plugin.id)),
    );
  }

  /** Wakes what supplies or declares a capability, or one key of it, as seen from a place; not what its stubs stand for in full. */
  async wake(capability: string, where: Where, key?: string): Promise<void> {
    const { idle, declarations } = this.#ports.snapshot();
    const sleepers = idle.filter(
      (plugin) =>
        concerns(plugin, capability, key) &&
        (plugin.level !== 'project' || plugin.root === where.root) &&
        !this.#isStubbed(plugin, capability, declarations),
    );
    if (sleepers.length === 0) return;
    const needed = await this.#needed(sleepers, capability, where);
    if (needed.length === 0) return;
    const woken = this.#wakeTogether(needed);
    // Within a change the queue is held by that change: waiting here would wait for itself.
    if (!this.#ports.owners.isInChange) await woken;
  }

  /** Those that have something to say in this place. What is set for a plugin may be where else it looks. */
  async #needed(plugins: readonly IdlePlugin[], capability: string, where: Where): Promise<readonly IdlePlugin[]> {
    const mayLack = plugins.filter((plugin) => plugin.looksFor !== undefined && !this.#ports.isSet(plugin));
    if (mayLack.length === 0) return plugins;
    const found = new Set(await this.#ports.withFiles(mayLack, capability, where));
    const idle = new Set(this.#ports.snapshot().idle);
    return plugins.filter((plugin) => idle.has(plugin) && (found.has(plugin) || !mayLack.includes(plugin)));
  }

  async #wakeTogether(sleepers: readonly IdlePlugin[]): Promise<void> {
    const fresh = sleepers.filter((plugin) => !this.#waking.has(sleeperKey(plugin)));
    if (fresh.length > 0) {
      const woken = this.#gather(fresh).finally(() => {
        for (const plugin of fresh) this.#waking.delete(sleeperKey(plugin));
      });
      for (const plugin of fresh) this.#waking.set(sleeperKey(plugin), woken);
    }
    await Promise.all(sleepers.map((plugin) => this.#waking.get(sleeperKey(plugin))));
  }

  /** Those that are asked for in one breath wake in one change. */
  #gather(plugins: readonly IdlePlugin[]): Promise<void> {
    const gathered = this.#gathered;
    if (gathered !== undefined) {
      gathered.plugins.push(...plugins);
      return gathered.woken;
    }
    const waiting = [...plugins];
    const woken = this.#ports.owners.free(async () => {
      await undefined;
      this.#gathered = undefined;
      await this.#wakeOrGiveUp(waiting);
    });
    this.#gathered = { plugins: waiting, woken };
    return woken;
  }

  async #wakeOrGiveUp(sleepers: readonly IdlePlugin[]): Promise<void> {
    const together = await this.#ports.change({ wake: sleepers, limitMs: wakeLimitMs });
    if (together.ok) return;
    if (sleepers.length === 1) return this.#giveUp(sleepers);
    // One of them fails: the others must not suffer for it.
    for (const plugin of sleepers)
      if (!(await this.#ports.change({ wake: [plugin], limitMs: wakeLimitMs })).ok) this.#giveUp([plugin]);
  }

  #giveUp(plugins: readonly IdlePlugin[]): void {
    for (const plugin of plugins) if (this.#all.includes(plugin)) this.#exhausted.add(plugin);
    this.#ports.changed();
  }

  /** The stand-in of a sleeper in the plugin order. */
  standOf(plugin: IdlePlugin): Activation {
    return this.#stand(plugin).activation;
  }

  #stand(plugin: IdlePlugin): Stand {
    let stand = this.#stands.get(plugin);
    if (stand === undefined) {
      const activation = new Activation(sleeperUnit(plugin), () => {});
      activation.state = 'live';
      stand = { activation, stubs: new Map() };
      this.#stands.set(plugin, stand);
    }
    return stand;
  }

  /** Items made of manifest lines: the one that is used wakes its plugin, and the call goes on to the real item. */
  stubs(plugins: readonly IdlePlugin[], declarations: Declarations): readonly OfferRecord[] {
    return plugins.flatMap((plugin) => {
      if (plugin.stubs === undefined || this.#ports.isSet(plugin)) return [];
      return Object.entries(plugin.stubs).flatMap(([id, descriptors]) => {
        const { activation, stubs } = this.#stand(plugin);
        const declared = declaredCapability(declarations, id, activation.root);
        if (declared?.stub === undefined) return [];
        const made =
          stubs.get(declared) ??
          descriptors.map((descriptor, sequence) => this.#stub(plugin, declared, descriptor, sequence));
        stubs.set(declared, made);
        return made;
      });
    });
  }

  /** Whether stubs stand for all that a sleeper has of a capability, so that reading it need not wake anybody. */
  #isStubbed(plugin: IdlePlugin, capability: string, declarations: Declarations): boolean {
    const keys = plugin.contributes[capability];
    if (
      keys === undefined ||
      keys === '*' ||
      plugin.declares.some((token) => token.token === 'capability' && token.id === capability)
    )
      return false;
    const stubs = this.stubs([plugin], declarations).filter(
      (offer) => offer.capability.id === capability && offer.parsed.ok,
    );
    return keys.every((key) => stubs.some((offer) => offer.key === key));
  }

  #stub(plugin: IdlePlugin, capability: Capability<unknown>, descriptor: unknown, sequence: number): OfferRecord {
    const { activation } = this.#stand(plugin);
    const common = {
      activation,
      capability,
      priority: undefined,
      path: plugin.source,
      provider: plugin.id,
      rank: 0,
      sequence,
      fate: { isWithdrawn: false },
    };
    let key: string | undefined;
    const forward = (): Promise<OfferRecord> => this.#real(plugin, capability.id, key);
    try {
      const item = capability.stub?.(descriptor, async () => (await forward()).item);
      const offer = { ...common, ...examine(capability, item), forward };
      key = offer.key;
      return offer;
    } catch (error) {
      return {
        ...common,
        offered: descriptor,
        item: descriptor,
        key: undefined,
        schema: capability.schema,
        parsed: { ok: false, issues: [messageOf(error)] },
      };
    }
  }

  /** What a stub stands for, its plugin woken if it still sleeps. */
  async #real(plugin: IdlePlugin, capability: string, key: string | undefined): Promise<OfferRecord> {
    const isMine = (offer: OfferRecord): boolean =>
      offer.forward === undefined &&
      offer.capability.id === capability &&
      offer.key === key &&
      offer.parsed.ok &&
      offer.activation.unit.key === sleeperKey(plugin);
    const find = (): OfferRecord | undefined => this.#ports.snapshot().offers.find(isMine);
    const sleeps = (): boolean => this.#ports.snapshot().idle.includes(plugin);
    if (sleeps()) {
      if (this.#ports.owners.isInChange) {
        throw new KernError(
          'stub_in_change',
          `plugin ${plugin.id} sleeps, and cannot wake while plugins are being set up`,
          { hint: `say requires: [${JSON.stringify(plugin.id)}]` },
        );
      }
      await this.#wakeTogether([plugin]);
    }
    const real = find();
    if (real !== undefined) return real;
    const why =
      this.#ports.why(sleeperKey(plugin)) ?? `its setup offers no ${capability} ${key ?? ''}, as its manifest says`;
    throw new KernError('stub_empty', `plugin ${plugin.id} did not bring ${key ?? `its ${capability}`}: ${why}`, {
      hint: `\`kern plugins --why\` shows the state of ${plugin.id}`,
    });
  }

  /** Who declares what without having run. */
  declarers(plugins: readonly IdlePlugin[]): readonly Declarer[] {
    return plugins.map((plugin) => ({ unit: this.standOf(plugin).unit, declares: plugin.declares }));
  }
}
