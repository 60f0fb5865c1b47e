/** Whether the letters of a query stand in a text in their order; less is nearer. */
export function fuzzyMatch(query: string, text: string): { readonly matches: boolean; readonly score: number } {
  const wanted = query.toLowerCase();
  const where = text.toLowerCase();
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = where.indexOf(letter, at + 1);
    if (next < 0) return { matches: false, score: 0 };
    score += next - at - 1;
    at = next;
  }
  return { matches: true, score };
}

/** Those that match every word, the nearest first. */
export function fuzzyFilter<T>(items: readonly T[], query: string, textOf: (item: T) => string): T[] {
  const words = query.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...items];
  return items
    .flatMap((item, order) => {
      const found = words.map((word) => fuzzyMatch(word, textOf(item)));
      if (!found.every(({ matches }) => matches)) return [];
      return [{ item, order, score: found.reduce((sum, { score }) => sum + score, 0) }];
    })
    .toSorted((a, b) => a.score - b.score || a.order - b.order)
    .map(({ item }) => item);
}
