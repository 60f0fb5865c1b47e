/** One way to be allowed: a key of the provider's own sources, or an account of `auth.json`. */
export interface Candidate {
  /** Told apart by it, within a provider. */
  readonly id: string;
}

/**
 * Which one is asked: the one the session has, while it can be used; else the first that does not rest; where all rest,
 * the one that is ready first, because limits are often over sooner than servers say.
 */
export function choose<C extends Candidate>(
  candidates: readonly C[],
  restOf: (id: string) => number,
  now: number,
  current: string | undefined,
): C | undefined {
  const ready = candidates.filter(({ id }) => restOf(id) <= now);
  if (ready.length > 0) return ready.find(({ id }) => id === current) ?? ready[0];
  return candidates.reduce<C | undefined>(
    (soonest, one) => (soonest === undefined || restOf(one.id) < restOf(soonest.id) ? one : soonest),
    undefined,
  );
}
