import type { diffArrays } from 'diff';
import { type Bytes, commonestEnd, endAt, type Line, linesOf } from './lines.ts';

type LineEnd = '\r\n' | '\n' | '\r';

/**
 * What stands in the place of `source.slice(start, end)`. Lines that old and new text have in common keep their bytes;
 * new lines take the line end of the lines they replace, else of their neighbours, else the file's commonest.
 */
export function rewritten(
  source: Bytes,
  place: { readonly start: number; readonly end: number },
  oldText: Bytes,
  newText: Bytes,
  diff: typeof diffArrays,
): Bytes {
  const there = linesOf(source.slice(place.start, place.end));
  const before = linesOf(oldText).map((line) => line.text);
  const after = linesOf(newText).map((line) => line.text);
  const outside = (): LineEnd => endAt(source, place.start) ?? commonestEnd(source);
  const made: Line[] = [];
  for (const { kept, from, count, texts } of stretches(before, after, diff)) {
    for (const [at, text] of texts.entries()) {
      const original = kept ? there[from + at] : undefined;
      made.push({ text: original?.text ?? text, end: endFor(there, from, count, at) ?? outside() });
    }
  }
  return made.map((line, at) => (at === made.length - 1 ? line.text : line.text + line.end)).join('');
}

/** The end of the kept or replaced line at the same place, of the last one replaced, of the line before, of the line after. */
function endFor(there: readonly Line[], from: number, count: number, at: number): LineEnd | undefined {
  const candidates = [
    there[from + Math.min(at, Math.max(0, count - 1))],
    there[from + count - 1],
    there[from - 1],
    there[from],
    there[from + 1],
  ];
  for (const line of candidates) if (line !== undefined && line.end !== '') return line.end;
  return undefined;
}

/** A run of lines of the new text: kept ones stand at `from` of the old, others replace `count` lines there. */
interface Stretch {
  readonly kept: boolean;
  readonly from: number;
  readonly count: number;
  readonly texts: readonly string[];
}

function stretches(before: readonly string[], after: readonly string[], diff: typeof diffArrays): readonly Stretch[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail))
    tail += 1;
  const oldMiddle = before.slice(head, before.length - tail);
  const newMiddle = after.slice(head, after.length - tail);
  return [
    { kept: true, from: 0, count: head, texts: after.slice(0, head) },
    ...middleStretches(oldMiddle, newMiddle, head, diff),
    { kept: true, from: before.length - tail, count: tail, texts: after.slice(after.length - tail) },
  ].filter(({ texts }) => texts.length > 0);
}

function middleStretches(
  before: readonly string[],
  after: readonly string[],
  head: number,
  diff: typeof diffArrays,
): readonly Stretch[] {
  const whole: Stretch = { kept: false, from: head, count: before.length, texts: after };
  if (before.length === 0 || after.length === 0) return [whole];
  // Texts that have little in common are replaced as a whole; looking for what they share would take long.
  const changes = diff([...before], [...after], { maxEditLength: 2_000 });
  if (changes === undefined) return [whole];
  const found: Stretch[] = [];
  let from = head;
  let removed = 0; // lines that nothing has taken the place of yet
  for (const { added, removed: isRemoved, value } of changes) {
    if (isRemoved) {
      removed += value.length;
    } else if (added) {
      found.push({ kept: false, from, count: removed, texts: value });
      from += removed;
      removed = 0;
    } else {
      from += removed;
      removed = 0;
      found.push({ kept: true, from, count: value.length, texts: value });
      from += value.length;
    }
  }
  return found;
}
