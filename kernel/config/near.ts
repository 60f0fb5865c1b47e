/** The names that a typing mistake could have meant, nearest first. */
export function nearNames(name: string, known: Iterable<string>, limit = 3): string[] {
  // A longer name may be further off and still be meant; a very short one is soon something else.
  const reach = name.length <= 4 ? 1 : name.length <= 9 ? 2 : 3;
  const found: { name: string; distance: number }[] = [];
  for (const candidate of new Set(known)) {
    if (Math.abs(candidate.length - name.length) > reach) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= reach) found.push({ name: candidate, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, limit).map((one) => one.name);
}

/** Letters to put in, take out, change or swap with their neighbour to come from one word to the other. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

/** ` Did you mean a or b?`, or nothing. */
export function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`;
}
