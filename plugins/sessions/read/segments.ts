import { type Head, headOf } from './head.ts';
import { parsedLine } from './source.ts';

/** A part of a line, and the entry that it is; undefined for what is none. */
export interface Segment {
  readonly from: number;
  readonly length: number;
  readonly head: Head | undefined;
}

/** Entries within an entry are tried as ends so often: beyond that a line is no accident. */
const mostWithin = 16;

/**
 * What a line is made of that is not one entry: several, where somebody went on writing behind a line that had no
 * newline, or was not finished.
 */
export function segmentsOf(bytes: Buffer): readonly Segment[] {
  const begins = beginsOf(bytes);
  const segments: Segment[] = [];
  for (let nth = 0; nth < begins.length; ) {
    const from = begins[nth] ?? 0;
    const ends = begins.slice(nth + 1, nth + 1 + mostWithin);
    if (nth + 1 + mostWithin > begins.length) ends.push(bytes.length);
    const end = ends.findIndex((to) => parsedLine(bytes.subarray(from, to)) !== undefined);
    const head = end === -1 ? undefined : headOf(bytes.subarray(from));
    const to = ends[head === undefined ? 0 : end] ?? bytes.length;
    segments.push({ from, length: to - from, head });
    nth += head === undefined ? 1 : end + 1;
  }
  return segments;
}

/** Where an entry may begin: blocks of content begin like one, and have no place in the tree. */
function beginsOf(bytes: Buffer): readonly number[] {
  const begins = [0];
  for (let at = bytes.indexOf(begin, 1); at !== -1; at = bytes.indexOf(begin, at + 1))
    if (headOf(bytes.subarray(at)) !== undefined) begins.push(at);
  return begins;
}

const begin = '{"type"';
