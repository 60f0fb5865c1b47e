import type { Entry, Level, Origin, Verdict } from './capability.ts';
import { priorityOf } from './order.ts';
import type { Parsed } from './schema.ts';

/** Something offered, with all that decides its place. */
export interface Candidate<T = unknown> {
  readonly item: T;
  readonly key: string | undefined;
  readonly plugin: string;
  readonly provider: string;
  readonly level: Level;
  readonly path: string | undefined;
  /** The file in whose favour its provider leaves it out. */
  readonly givesWayTo?: string | undefined;
  /** Set by the offer; else the level's. */
  readonly priority: number | undefined;
  /** A discovery provider's own priority: orders only within the level. Direct offers come before. */
  readonly within: number;
  /** The plugin's place in plugin order. */
  readonly place: number;
  /** The place of its group or provider within the plugin's setup, and its own place in there. */
  readonly rank: number;
  readonly sequence: number;
  readonly parsed: Parsed<T>;
  /** Who switched it off, or that its supplier is not one. */
  readonly off: string | undefined;
}

export interface Table<T = unknown> {
  readonly entries: readonly Entry<T>[];
  readonly items: readonly T[];
  readonly winners: ReadonlyMap<string, Entry<T>>;
}

const effective = (candidate: Candidate): number => candidate.priority ?? priorityOf(candidate.level);

/** Priority by level, then the provider's within the level, then plugin order, then sequence. */
export function byPrecedence(a: Candidate, b: Candidate): number {
  return (
    effective(b) - effective(a) ||
    b.within - a.within ||
    a.place - b.place ||
    a.rank - b.rank ||
    a.sequence - b.sequence
  );
}

/**
 * First win. An invalid or switched-off candidate never shadows a valid one; losers stay, with the winner named.
 * `made` sees every entry with its candidate, so that the caller can remember whose it is.
 */
export function merge<T>(
  candidates: readonly Candidate<T>[],
  made: (entry: Entry<T>, candidate: Candidate<T>) => void,
): Table<T> {
  const winners = new Map<string, Entry<T>>();
  const entries: Entry<T>[] = [];
  const items: T[] = [];
  for (const candidate of [...candidates].sort(byPrecedence)) {
    const { key } = candidate;
    const first = key === undefined ? undefined : winners.get(key);
    const verdict = verdictOf(candidate, first?.origin);
    const item = candidate.parsed.ok ? candidate.parsed.value : candidate.item;
    const entry: Entry<T> = Object.freeze({ item, key, origin: originOf(candidate), verdict });
    made(entry, candidate);
    entries.push(entry);
    if (verdict.state !== 'won') continue;
    if (key !== undefined) winners.set(key, entry);
    items.push(item);
  }
  return { entries: Object.freeze(entries), items: Object.freeze(items), winners };
}

function verdictOf(candidate: Candidate, winner: Origin | undefined): Verdict {
  if (!candidate.parsed.ok) return { state: 'invalid', issues: candidate.parsed.issues };
  if (candidate.off !== undefined) return { state: 'disabled', by: candidate.off };
  if (candidate.givesWayTo !== undefined)
    return { state: 'shadowed', by: originOf({ ...candidate, path: candidate.givesWayTo }) };
  return winner === undefined ? { state: 'won' } : { state: 'shadowed', by: winner };
}

function originOf(candidate: Candidate): Origin {
  const { plugin, provider, level, path } = candidate;
  return Object.freeze({
    plugin,
    provider,
    level,
    priority: effective(candidate),
    ...(path === undefined ? {} : { path }),
  });
}
