import type { ContextFile } from 'kern/contracts';

/**
 * The person's own first, then from the farthest folder to the working directory: what stands later counts more. Beside
 * the main file of a folder its parts follow it.
 */
export function inOrder(files: readonly ContextFile[]): readonly ContextFile[] {
  const rank = ({ level, depth }: ContextFile): number =>
    level === 'user' ? Number.POSITIVE_INFINITY : Math.max(0, depth ?? 0);
  const part = ({ part: name }: ContextFile): number => (name === undefined ? 0 : 1);
  return files.toSorted((a, b) => compare(rank(b), rank(a)) || part(a) - part(b));
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Of texts that say the very same the last one is told. */
export function withoutTwins<T extends { readonly text: string }>(pieces: readonly T[]): readonly T[] {
  const last = new Map(pieces.map((piece) => [piece.text, piece]));
  return pieces.filter((piece) => last.get(piece.text) === piece);
}
