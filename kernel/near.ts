export interface NearOptions {
  /** How many letters may differ. Default: the longer the word, the more. */
  readonly edits?: number;
  /** A name that holds the word, or is held by it, is near: `opus` means `claude-opus-4`. Default true. */
  readonly parts?: boolean;
  /** Default 3. */
  readonly limit?: number;
}

/** The names that a word may have meant, nearest first. Case, dashes, underscores and spaces do not count. */
export function nearNames(word: string, names: Iterable<string>, options: NearOptions = {}): readonly string[] {
  const { edits = reach(word), parts = true, limit = 3 } = options;
  const wanted = simple(word);
  const found: { name: string; distance: number; growth: number }[] = [];
  for (const name of new Set(names)) {
    const candidate = simple(name);
    // Of two as near, the one with as many letters is more likely meant.
    const growth = Math.abs(candidate.length - wanted.length);
    const isPart = parts && holds(wanted, candidate);
    if (growth > edits && !isPart) continue;
    const distance = isPart ? Math.min(1, growth) : editDistance(wanted, candidate);
    if (distance <= edits) found.push({ name, distance, growth });
  }
  found.sort((a, b) => a.distance - b.distance || a.growth - b.growth || (a.name < b.name ? -1 : 1));
  return found.slice(0, limit).map(({ name }) => name);
}

/** `Did you mean a or b?`, or nothing. */
export function didYouMean(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`;
}

/** Letters to put in, take out, change or swap with the next one to come from one word to the other. */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? (beforeLast[column - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, changed, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

/** A short word is soon another one. */
const reach = (word: string): number => (word.length <= 4 ? 1 : word.length <= 9 ? 2 : 3);

const simple = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/g, '');

/** Two letters stand in every other word. */
const holds = (a: string, b: string): boolean => Math.min(a.length, b.length) > 2 && (a.includes(b) || b.includes(a));
