import type { Activation } from './activation.ts';
import type { Capability, Where } from './capability.ts';
import type { Owned } from './core.ts';
import { declaredCapability, examine } from './declarations.ts';
import type { OwnItems } from './own-items.ts';
import type { SettingsPort } from './settings.ts';
import type { Snapshot } from './snapshot.ts';
import type { Candidate } from './table.ts';

/** From where a table is made. */
export interface Standpoint {
  readonly snapshot: Snapshot;
  readonly where: Where;
  readonly own: OwnItems;
  readonly settings: SettingsPort;
}

/** All that is offered of a capability to who stands there, with whose it is. */
export function candidatesOf(
  capability: Capability<unknown>,
  { snapshot, where, own, settings }: Standpoint,
): ReadonlyMap<Candidate, Owned> {
  const declared = declaredCapability(snapshot.declarations, capability.id, where.root);
  const candidates = new Map<Candidate, Owned>();
  const add = (candidate: Omit<Candidate, 'off'>, owned: Owned): void => {
    candidates.set({ ...candidate, off: whyOff(declared, candidate, settings) }, owned);
  };
  const sees = ({ root }: Activation): boolean => root === undefined || root === where.root;
  const direct = { within: Number.POSITIVE_INFINITY };
  for (const offer of snapshot.offers) {
    const { activation } = offer;
    if (offer.capability.id !== capability.id || !sees(activation)) continue;
    const { id: plugin, level } = activation;
    add(
      { ...direct, ...offer, plugin, level, place: snapshot.place.get(activation) ?? 0 },
      { activation, record: offer },
    );
  }
  for (const { record, where: answered, offers } of snapshot.answers.values()) {
    const { activation, provider } = record;
    const isHere = answered.cwd === where.cwd && answered.root === where.root;
    if (record.capability.id !== capability.id || !isHere || !sees(activation)) continue;
    const place = snapshot.place.get(activation) ?? 0;
    for (const offer of offers) {
      const level = offer.level ?? activation.level;
      const within = settings.provider(provider.id, level).priority ?? provider.priority;
      add({ ...offer, plugin: activation.id, level, within, place }, { activation, record: offer });
    }
  }
  for (const { capability: offered, name, items, fates } of own.groups) {
    if (offered.id !== capability.id) continue;
    const session = { plugin: name, provider: name, level: 'session' as const, path: undefined, priority: undefined };
    for (const [sequence, item] of items.entries()) {
      const fate = fates[sequence] ?? { isWithdrawn: false };
      const examined = examine(declared ?? offered, item);
      add(
        { ...direct, ...session, ...examined, place: -1, rank: 0, sequence },
        { activation: undefined, record: { fate } },
      );
    }
  }
  return candidates;
}

/** Who switched it off, or that its supplier is not one. */
function whyOff(
  declared: Capability<unknown> | undefined,
  { provider, level, key }: Pick<Candidate, 'provider' | 'level' | 'key'>,
  settings: SettingsPort,
): string | undefined {
  if (declared === undefined) return 'nobody declares this capability';
  const { id, from } = declared;
  if (from !== undefined && !from.includes(level)) return `only ${from.join(' and ')} plugins supply it`;
  return settings.provider(provider, level).off ?? (key === undefined ? undefined : settings.item(id, key, level));
}
