/** A text as a query of FTS5: every word, or its beginning. Quoted, so that no sign in it is an operator; undefined where it has no words. */
export function matchOf(text: string): string | undefined {
  const words = text
    .replaceAll('\0', ' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, mostWords);
  if (words.length === 0) return undefined;
  return words.map((word) => `"${word.replaceAll('"', '""')}"*`).join(' ');
}

/** Of a pasted page the first words tell enough. */
const mostWords = 32;
