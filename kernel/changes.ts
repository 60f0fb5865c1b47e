import type { OfferRecord } from './activation.ts';
import type { CapabilityChange } from './events.ts';
import type { Snapshot } from './snapshot.ts';

type ByKey = ReadonlyMap<string, readonly OfferRecord[]>;

/** What differs between two snapshots, by capability and key: same key and another item is a change. */
export function changesBetween(before: Snapshot, after: Snapshot): readonly CapabilityChange[] {
  const old = offersByKey(before);
  const now = offersByKey(after);
  const none: ByKey = new Map();
  const changes: CapabilityChange[] = [];
  for (const capability of new Set([...old.keys(), ...now.keys()])) {
    const was = old.get(capability) ?? none;
    const is = now.get(capability) ?? none;
    const added = [...is.keys()].filter((key) => !was.has(key));
    const removed = [...was.keys()].filter((key) => !is.has(key));
    const changed = [...is]
      .filter(([key, offers]) => was.has(key) && !isSame(offers, was.get(key) ?? []))
      .map(([key]) => key);
    if (added.length + changed.length + removed.length > 0) changes.push({ capability, added, changed, removed });
  }
  return changes;
}

function isSame(a: readonly OfferRecord[], b: readonly OfferRecord[]): boolean {
  return (
    a.every((one) => b.some((other) => isOne(one, other))) && b.every((one) => a.some((other) => isOne(one, other)))
  );
}

/** A stub and what it stands for are one thing: that a plugin woke is no news. */
function isOne(a: OfferRecord, b: OfferRecord): boolean {
  const isWaking = a.forward !== undefined || b.forward !== undefined;
  return a.item === b.item || (isWaking && a.activation.unit.key === b.activation.unit.key);
}

function offersByKey({ offers, answers }: Snapshot): ReadonlyMap<string, ByKey> {
  const capabilities = new Map<string, Map<string, OfferRecord[]>>();
  for (const offer of [...offers, ...[...answers.values()].flatMap((answer) => answer.offers)]) {
    if (offer.key === undefined || !offer.parsed.ok) continue;
    const keys = capabilities.get(offer.capability.id) ?? new Map<string, OfferRecord[]>();
    keys.set(offer.key, [...(keys.get(offer.key) ?? []), offer]);
    capabilities.set(offer.capability.id, keys);
  }
  return capabilities;
}
