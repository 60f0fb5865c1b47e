/** Up to three of the known names that a misspelt one may have meant, nearest first. */
export function nearNames(given: string, known: readonly string[]): readonly string[] {
  const wanted = given.toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 4));
  const rated = known.map((name) => ({ name, distance: rate(wanted, name.toLowerCase()) }));
  const near = rated.filter(({ distance }) => distance <= limit).sort((a, b) => a.distance - b.distance);
  return near.slice(0, 3).map(({ name }) => name);
}

function rate(wanted: string, name: string): number {
  return wanted.length > 2 && name.includes(wanted) ? 1 : distance(wanted, name);
}

/** Levenshtein's: how many letters differ. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const swap = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
