import type { CapabilityChange } from './events.ts';
import type { Snapshot } from './snapshot.ts';

/** What differs between two snapshots, by capability and key: same key and another item is a change. */
export function changesBetween(before: Snapshot, after: Snapshot): readonly CapabilityChange[] {
  const old = itemsByKey(before);
  const now = itemsByKey(after);
  const changes: CapabilityChange[] = [];
  for (const capability of new Set([...old.keys(), ...now.keys()])) {
    const was = old.get(capability) ?? new Map<string, ReadonlySet<unknown>>();
    const is = now.get(capability) ?? new Map<string, ReadonlySet<unknown>>();
    const added = [...is.keys()].filter((key) => !was.has(key));
    const removed = [...was.keys()].filter((key) => !is.has(key));
    const changed = [...is]
      .filter(([key, items]) => was.has(key) && items.symmetricDifference(was.get(key) ?? new Set()).size > 0)
      .map(([key]) => key);
    if (added.length + changed.length + removed.length > 0) changes.push({ capability, added, changed, removed });
  }
  return changes;
}

function itemsByKey(snapshot: Snapshot): Map<string, Map<string, Set<unknown>>> {
  const capabilities = new Map<string, Map<string, Set<unknown>>>();
  for (const offer of [...snapshot.offers, ...[...snapshot.answers.values()].flatMap((answer) => answer.offers)]) {
    if (offer.key === undefined || !offer.parsed.ok) continue;
    const keys = capabilities.get(offer.capability.id) ?? new Map<string, Set<unknown>>();
    const items = keys.get(offer.key) ?? new Set<unknown>();
    items.add(offer.item);
    keys.set(offer.key, items);
    capabilities.set(offer.capability.id, keys);
  }
  return capabilities;
}
