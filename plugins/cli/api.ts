import { codeOf } from 'kern/plugin';

/** The names within so many edits of a word, nearest first: what a slip of the keys may have meant. */
export function near(word: string, names: Iterable<string>, edits = reach(word)): readonly string[] {
  const found = [...new Set(names)].map((name) => ({
    name,
    distance: editDistance(word.toLowerCase(), name.toLowerCase()),
    // Of two as near, the one with as many letters is more likely meant.
    growth: Math.abs(name.length - word.length),
  }));
  return found
    .filter(({ distance }) => distance <= edits)
    .sort((a, b) => a.distance - b.distance || a.growth - b.growth || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** A short word is soon another one. */
const reach = (word: string): number => (word.length <= 4 ? 1 : word.length <= 9 ? 2 : 3);

/** Letters to put in, take out, change or swap with the next one. */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const changed = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped =
        a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1] && row > 1 && column > 1
          ? (beforeLast[column - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, changed, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

/** `Did you mean a or b?`, or nothing. */
export function didYouMean(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`;
}

/** Columns side by side, as wide as what stands in them; the last one is not filled up. */
export function columns(rows: readonly (readonly string[])[], gap = 2): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + gap)))
      .join('')
      .trimEnd(),
  );
}

/** Codes by what they mean for whoever waits for us. What is not named here is a failed run: 1. */
const exitCodes: Readonly<Record<string, number>> = {
  usage: 2,
  capability_unknown: 2,
  config_bad_value: 2,
  config_missing: 2,
  config_unknown_key: 2,
  extension_missing: 2,
  file_unreadable: 2,
  model_unknown: 2,
  plugin_unknown: 2,
  provider_unknown: 2,
  schema_unknown: 2,
  tool_unknown: 2,
  trust_unknown_item: 2,
  no_model: 3,
  not_signed_in: 3,
  untrusted: 4,
  time_limit: 124,
};

export function exitCodeOf(error: unknown): number {
  return exitCodes[codeOf(error) ?? ''] ?? 1;
}
