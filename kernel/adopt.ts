import type { Activation } from './activation.ts';
import { concerns, type Snapshot, sleeperKey } from './snapshot.ts';

/**
 * A pinned snapshot with those of its sleepers that are awake now, as far as they concern a capability. They belong to
 * its one set of plugins: what they bring is no later contribution.
 */
export function adopt(
  pinned: Snapshot,
  now: Snapshot,
  capability: string,
  active: (key: string) => Activation | undefined,
): Snapshot {
  let grown = pinned;
  for (const plugin of pinned.idle) {
    const activation = concerns(plugin, capability) ? active(sleeperKey(plugin)) : undefined;
    if (activation !== undefined) grown = withAwake(grown, now, activation);
  }
  return grown;
}

function withAwake(pinned: Snapshot, now: Snapshot, activation: Activation): Snapshot {
  const isStandIn = (other: Activation): boolean => other.unit.key === activation.unit.key;
  const place = [...pinned.place].find(([other]) => isStandIn(other))?.[1] ?? pinned.place.size;
  const offers = now.offers.filter((offer) => offer.activation === activation);
  const providers = now.providers.filter((record) => record.activation === activation);
  return Object.freeze({
    ...pinned,
    activations: Object.freeze([...pinned.activations, activation]),
    place: new Map([...pinned.place, [activation, place]]),
    offers: Object.freeze([...pinned.offers.filter((offer) => !isStandIn(offer.activation)), ...offers]),
    providers: Object.freeze([...pinned.providers, ...providers]),
    idle: Object.freeze(pinned.idle.filter((other) => sleeperKey(other) !== activation.unit.key)),
  });
}
