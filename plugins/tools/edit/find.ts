import { type Bytes, linesOf } from './lines.ts';

/** A part of the file, in bytes. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

export interface Found {
  readonly how: 'exact' | 'tolerant';
  readonly places: readonly Place[];
}

/** More than these are not told apart: the text is anything but unique. */
const most = 20;

/** Looks for texts in one file: as they are, and only where that finds nothing, without the ends of lines. */
export function createFinder(source: Bytes): (wanted: Bytes) => Found {
  let view: View | undefined;
  return (wanted) => {
    const exact = wholeEnds(source, occurrences(source, wanted));
    if (exact.length > 0) return { how: 'exact', places: exact };
    view ??= createView(source);
    return { how: 'tolerant', places: findTolerant(view, wanted) };
  };
}

function occurrences(source: Bytes, wanted: Bytes): readonly Place[] {
  const places: Place[] = [];
  // Overlapping ones count too: `aa` is not unique in `aaa`.
  for (let at = source.indexOf(wanted); at !== -1 && places.length < most; at = source.indexOf(wanted, at + 1))
    places.push({ start: at, end: at + wanted.length });
  return places;
}

/** A CRLF is one thing: a place does not begin or end in the middle of it. */
function wholeEnds(source: Bytes, places: readonly Place[]): readonly Place[] {
  const splits = (at: number): boolean => source[at - 1] === '\r' && source[at] === '\n';
  return places.map(({ start, end }) => ({
    start: splits(start) ? start - 1 : start,
    end: splits(end) ? end + 1 : end,
  }));
}

/** The file with every line end as LF and no spaces or tabs before it, and the way back from there. */
interface View {
  readonly text: Bytes;
  /** Where each line starts, in the view and in the file. */
  readonly starts: readonly number[];
  readonly origins: readonly number[];
}

const trimmed = (text: string): string => text.replace(/[ \t]+$/, '');

function createView(source: Bytes): View {
  const starts: number[] = [];
  const origins: number[] = [];
  const parts: string[] = [];
  let at = 0;
  let origin = 0;
  for (const line of linesOf(source)) {
    const text = trimmed(line.text);
    starts.push(at);
    origins.push(origin);
    parts.push(text);
    at += text.length + 1;
    origin += line.text.length + line.end.length;
  }
  return { text: parts.join('\n'), starts, origins };
}

function findTolerant(view: View, wanted: Bytes): readonly Place[] {
  const lines = linesOf(wanted);
  const texts = lines.map((line) => trimmed(line.text));
  const simple = texts.join('\n');
  if (simple.trim() === '') return [];
  // Where something was trimmed away at the rim of the wanted text, the rim has to be the rim of a line as well.
  const needsStart = texts[0] === '' && lines[0]?.text !== '';
  const needsEnd = texts.at(-1) !== lines.at(-1)?.text;
  return occurrences(view.text, simple)
    .filter(
      ({ start, end }) =>
        (!needsStart || start === 0 || view.text[start - 1] === '\n') &&
        (!needsEnd || end === view.text.length || view.text[end] === '\n'),
    )
    .map(({ start, end }) => ({ start: toOrigin(view, start), end: toOrigin(view, end) }));
}

function toOrigin({ starts, origins }: View, at: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return (origins[low] ?? 0) + at - (starts[low] ?? 0);
}
