import type { Capability } from './capability.ts';
import type { CapabilityChange } from './events.ts';
import type { View } from './plugin.ts';

/** Who wins, by capability and key. */
export type Standing = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

export function standingOf(capabilities: Iterable<Capability<unknown>>, view: View): Standing {
  return new Map(
    Array.from(capabilities, (capability) => {
      const won = view
        .use(capability)
        .entries()
        .filter(({ verdict }) => verdict.state === 'won');
      return [
        capability.id,
        new Map(won.flatMap(({ key, item }) => (key === undefined ? [] : [[key, item] as const]))),
      ] as const;
    }),
  );
}

/** What a switch made of it: another item steps in where one is off, or none does. */
export function switchesBetween(before: Standing, after: Standing): readonly CapabilityChange[] {
  return [...after].flatMap(([capability, now]) => {
    const old = before.get(capability) ?? new Map<string, unknown>();
    const added = [...now.keys()].filter((key) => !old.has(key));
    const removed = [...old.keys()].filter((key) => !now.has(key));
    const changed = [...now].filter(([key, item]) => old.has(key) && old.get(key) !== item).map(([key]) => key);
    return added.length + removed.length + changed.length === 0 ? [] : [{ capability, added, changed, removed }];
  });
}
