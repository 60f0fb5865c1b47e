import { cutToBytes } from '../truncate.ts';

/** Where a long line is cut, in characters as a person counts them. */
export const lineLimit = 500;

/** A character may be made of any number of code points. */
const byteLimit = 4_000;

const segmenter = (): Intl.Segmenter => new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The start of a line, never ending within a character. */
export function cutLine(line: string, limit: number = lineLimit): { readonly text: string; readonly isCut: boolean } {
  // A character takes at least one UTF-16 unit: most lines need no counting.
  if (line.length <= limit) return { text: line, isCut: false };
  let count = 0;
  let end = 0;
  for (const { index, segment } of segmenter().segment(line.slice(0, byteLimit))) {
    if (count === limit) break;
    count += 1;
    end = index + segment.length;
  }
  const text = cutToBytes(line.slice(0, end), byteLimit);
  return { text, isCut: text.length < line.length };
}
