/** The value below which the share `q` of all lies, between two neighbours where it falls between them. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * q;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** What a round measures: one number by name. */
export type Cases<K extends string> = Readonly<Record<K, () => Promise<number>>>;

/**
 * Measures every case in every round, each other round backwards, so that what the machine does besides hits all alike.
 * A round before the first warms caches and does not count.
 */
export async function interleaved<K extends string>(
  rounds: number,
  cases: Cases<K>,
): Promise<Readonly<Record<K, readonly number[]>>> {
  const order = Object.keys(cases) as K[];
  const samples = Object.fromEntries(order.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? order : order.toReversed()) {
      const value = await cases[name]();
      if (round > 0) samples[name].push(value);
    }
  }
  return samples;
}
