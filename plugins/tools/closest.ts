/** The names that `word` may have meant, nearest first: at most `limit`. */
export function closest(word: string, names: Iterable<string>, limit = 3): readonly string[] {
  const wanted = simple(word);
  const tolerated = Math.max(1, Math.ceil(wanted.length / 3));
  const rated = [...new Set(names)].flatMap((name) => {
    const distance = distanceBetween(wanted, simple(name));
    return distance <= tolerated ? [{ name, distance }] : [];
  });
  rated.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return rated.slice(0, limit).map(({ name }) => name);
}

/** Case, and whether words are joined by dashes or underscores, is what is mistaken most. */
const simple = (name: string): string => name.toLowerCase().replaceAll(/[-_ ]/g, '');

/** A name inside the other, or the letters to put in, take out, change or swap. */
function distanceBetween(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length > 2 && b.length > 2 && (a.includes(b) || b.includes(a))) return 1;
  let previous: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let at = 1; at <= b.length; at += 1) {
      const same = a[row - 1] === b[at - 1];
      const swapped = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1];
      const ways = [(last[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + (same ? 0 : 1)];
      current.push(Math.min(...ways, swapped ? (previous[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY));
    }
    previous = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
