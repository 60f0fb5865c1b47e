import type { OfferRecord } from './activation.ts';
import type { CapabilityChange } from './events.ts';
import type { Snapshot } from './snapshot.ts';

type ByKey = ReadonlyMap<string, readonly OfferRecord[]>;
/** Keys by capability. */
type Keys = ReadonlyMap<string, ReadonlySet<string>>;

/** What differs between two snapshots, by capability and key: same key and another item is a change. */
export function changesBetween(before: Snapshot, after: Snapshot): readonly CapabilityChange[] {
  // Most of two snapshots is the very same, and nothing of it has to be put in order.
  const touched = keysOf([...offersOnlyIn(before, after), ...offersOnlyIn(after, before)]);
  if (touched.size === 0) return [];
  const old = offersByKey(before, touched);
  const now = offersByKey(after, touched);
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

/** What one snapshot offers and another does not. Answers that they share are passed over as a whole: there may be many. */
function offersOnlyIn(one: Snapshot, other: Snapshot): readonly OfferRecord[] {
  const direct = one.offers === other.offers ? [] : without(one.offers, other.offers);
  const answered = [...one.answers].flatMap(([key, answer]) => {
    const there = other.answers.get(key);
    return there === answer ? [] : without(answer.offers, there?.offers ?? []);
  });
  return [...direct, ...answered];
}

function without(offers: readonly OfferRecord[], others: readonly OfferRecord[]): readonly OfferRecord[] {
  if (offers.length === 0) return [];
  const there = new Set(others);
  return offers.filter((offer) => !there.has(offer));
}

function keysOf(offers: readonly OfferRecord[]): Keys {
  const keys = new Map<string, Set<string>>();
  for (const { key, parsed, capability, givesWayTo } of offers) {
    if (key === undefined || !parsed.ok || givesWayTo !== undefined) continue;
    keys.set(capability.id, (keys.get(capability.id) ?? new Set()).add(key));
  }
  return keys;
}

/** All offers of these keys. */
function offersByKey({ offers, answers }: Snapshot, wanted: Keys): ReadonlyMap<string, ByKey> {
  const capabilities = new Map<string, Map<string, OfferRecord[]>>();
  const sort = (offer: OfferRecord): void => {
    const { key, capability, parsed, givesWayTo } = offer;
    if (key === undefined || !parsed.ok || givesWayTo !== undefined || wanted.get(capability.id)?.has(key) !== true)
      return;
    const keys = capabilities.get(capability.id) ?? new Map<string, OfferRecord[]>();
    const same = keys.get(key);
    if (same === undefined) keys.set(key, [offer]);
    else same.push(offer);
    capabilities.set(capability.id, keys);
  };
  for (const offer of offers) sort(offer);
  for (const answer of answers.values())
    if (wanted.has(answer.record.capability.id)) for (const offer of answer.offers) sort(offer);
  return capabilities;
}
