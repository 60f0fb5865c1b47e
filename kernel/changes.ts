import type { OfferRecord } from './activation.ts';
import type { CapabilityChange } from './events.ts';
import type { Snapshot } from './snapshot.ts';

type ByKey = ReadonlyMap<string, readonly OfferRecord[]>;

/** What differs between two snapshots, by capability and key: same key and another item is a change. */
export function changesBetween(before: Snapshot, after: Snapshot): readonly CapabilityChange[] {
  const was = new Set(offersOf(before));
  const is = new Set(offersOf(after));
  // Most of two snapshots is the very same, and nothing of it has to be put in order.
  const touched = new Set([...was, ...is].filter((offer) => !(was.has(offer) && is.has(offer))).map(capabilityOf));
  if (touched.size === 0) return [];
  const old = offersByKey(was, touched);
  const now = offersByKey(is, touched);
  const none: ByKey = new Map();
  const changes: CapabilityChange[] = [];
  for (const capability of new Set([...old.keys(), ...now.keys()])) {
    const gone = old.get(capability) ?? none;
    const there = now.get(capability) ?? none;
    const added = [...there.keys()].filter((key) => !gone.has(key));
    const removed = [...gone.keys()].filter((key) => !there.has(key));
    const changed = [...there]
      .filter(([key, offers]) => gone.has(key) && !isSame(offers, gone.get(key) ?? []))
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

const capabilityOf = ({ capability }: OfferRecord): string => capability.id;

const offersOf = ({ offers, answers }: Snapshot): readonly OfferRecord[] => [
  ...offers,
  ...[...answers.values()].flatMap((answer) => answer.offers),
];

function offersByKey(offers: Iterable<OfferRecord>, wanted: ReadonlySet<string>): ReadonlyMap<string, ByKey> {
  const capabilities = new Map<string, Map<string, OfferRecord[]>>();
  for (const offer of offers) {
    if (offer.key === undefined || !offer.parsed.ok || !wanted.has(offer.capability.id)) continue;
    const keys = capabilities.get(offer.capability.id) ?? new Map<string, OfferRecord[]>();
    const same = keys.get(offer.key);
    if (same === undefined) keys.set(offer.key, [offer]);
    else same.push(offer);
    capabilities.set(offer.capability.id, keys);
  }
  return capabilities;
}
