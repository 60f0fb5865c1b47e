import type { Activation, OfferRecord, PluginUnit } from './activation.ts';
import {
  type Declarations,
  type Declarer,
  declarationOf,
  declarationsOf,
  declaredCapability,
  examine,
  isSameDeclarations,
} from './declarations.ts';
import { capabilityChanged, configChanged, pluginChanged } from './events.ts';
import { CompiledHooks } from './hooks.ts';
import type { Token } from './plugin.ts';
import type { Sleepers } from './sleepers.ts';
import { type Answer, type IdlePlugin, type Snapshot, tapsOf } from './snapshot.ts';
import type { HookPorts } from './tap-run.ts';

const kernelTokens = [pluginChanged, capabilityChanged, configChanged] as const;

/** What a snapshot is made of. */
export interface SnapshotParts {
  /** In plugin order. */
  readonly activations: readonly Activation[];
  readonly declarations: Declarations;
  /** Those of providers that are not there fall out. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** The plugin order, with what sleeps. */
  readonly order: readonly PluginUnit[];
}

/** Makes snapshots, each of the one before it: what did not change is shared. */
export class Snapshots {
  readonly #ports: HookPorts;
  readonly #sleepers: Sleepers;
  readonly #adapted = new WeakMap<OfferRecord, OfferRecord>();

  constructor(ports: HookPorts, sleepers: Sleepers) {
    this.#ports = ports;
    this.#sleepers = sleepers;
  }

  /** With nothing plugged in. */
  first(): Snapshot {
    const declarations = this.declarations([], [], () => true, undefined);
    return this.make({ activations: [], declarations, answers: new Map(), order: [] }, undefined);
  }

  make({ activations, declarations, answers, order }: SnapshotParts, before: Snapshot | undefined): Snapshot {
    const taps = tapsOf(activations);
    const isSameTaps =
      before !== undefined &&
      before.hooks.taps.length === taps.length &&
      taps.every((tap, at) => tap === before.hooks.taps[at]);
    const idle = this.#sleepers.inForce(activations.map(({ unit }) => unit));
    const providers = activations.flatMap((activation) => activation.providers);
    const isAnswering = new Set(providers);
    const adapt = <O extends OfferRecord>(offer: O): O => this.#underDeclaration(offer, declarations);
    const adaptAnswer = (answer: Answer): Answer =>
      before?.declarations === declarations ? answer : { ...answer, offers: answer.offers.map(adapt) };
    return Object.freeze({
      number: (before?.number ?? 0) + 1,
      activations: Object.freeze([...activations]),
      place: this.#places(activations, idle, order),
      offers: Object.freeze([
        ...activations.flatMap((activation) => activation.offers.map(adapt)),
        ...this.#sleepers.stubs(idle, declarations),
      ]),
      providers: Object.freeze(providers),
      answers: new Map(
        [...answers]
          .filter(([, { record }]) => isAnswering.has(record))
          .map(([key, answer]) => [key, adaptAnswer(answer)] as const),
      ),
      idle: Object.freeze(idle),
      declarations,
      hooks: isSameTaps ? before.hooks : new CompiledHooks(taps, this.#ports),
    });
  }

  /** With other answers: nothing else depends on what providers say, and they say much at a start. */
  answered(answers: ReadonlyMap<string, Answer>, before: Snapshot): Snapshot {
    const isAnswering = new Set(before.providers);
    const kept = new Map([...answers].filter(([, { record }]) => isAnswering.has(record)));
    return Object.freeze({ ...before, number: before.number + 1, answers: kept });
  }

  #places(
    activations: readonly Activation[],
    idle: readonly IdlePlugin[],
    order: readonly PluginUnit[],
  ): ReadonlyMap<Activation, number> {
    const all = [...activations, ...idle.map((plugin) => this.#sleepers.standOf(plugin))];
    const byUnit = new Map(all.map((activation) => [activation.unit, activation]));
    const ordered = new Set(order.flatMap((unit) => byUnit.get(unit) ?? []));
    // What was introduced since the last plan has its place with the next one.
    const others = all
      .filter((activation) => !ordered.has(activation))
      .sort((a, b) => (a.unit.key < b.unit.key ? -1 : 1));
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
    const { id } = offer.activation;
    if (!adapted.parsed.ok)
      this.#ports.journal.add(
        id,
        'warning',
        'invalid_item',
        `an item of plugin ${id} is no ${declared.id} as it is declared now: ${adapted.parsed.issues.join('; ')}`,
      );
    return adapted;
  }

  /** Who declares what: later ones are refused for what earlier ones declare, so those come first that run already. */
  declarations(
    units: readonly PluginUnit[],
    idle: readonly IdlePlugin[],
    isLive: (unit: PluginUnit) => boolean,
    before: Declarations | undefined,
  ): Declarations {
    const ordered = [...units.filter(isLive), ...units.filter((unit) => !isLive(unit))];
    const declarations = declarationsOf([...this.#sleepers.declarers(idle), ...ordered.map(declarerOf)], kernelTokens);
    return before !== undefined && isSameDeclarations(declarations, before) ? before : declarations;
  }

  /** Who declares what of those that run and those that sleep now. */
  declarationsNow(units: readonly PluginUnit[], before: Declarations): Declarations {
    try {
      return this.declarations(units, this.#sleepers.inForce(units), () => true, before);
    } catch (error) {
      // Two sleepers that are in force only now: the next change says who is refused.
      this.#ports.journal.failure('kern', 'token_taken', 'the manifests', error);
      return before;
    }
  }

  /** Says what of a plugin nobody uses, because nobody declares it. */
  reportUndeclared({ id, root, taps, offers, providers }: Activation, { declarations }: Snapshot): void {
    const tokens = [...taps.map(({ hook }) => hook), ...[...offers, ...providers].map(({ capability }) => capability)];
    const used = new Map(tokens.map((token): [string, Token] => [`${token.token} ${token.id}`, token]));
    for (const [name, token] of used) {
      if (declarationOf(declarations, token.token, token.id, root) !== undefined) continue;
      this.#ports.journal.add(
        id,
        'info',
        'undeclared',
        `plugin ${id} uses the ${name}, which no plugin declares: it is kept, and used when one does`,
      );
    }
  }
}

const declarerOf = (unit: PluginUnit): Declarer => ({ unit, declares: unit.definition.declares ?? [] });
