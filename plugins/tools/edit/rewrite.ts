import type { diffArrays } from 'diff';
import { type How, splitsPair } from './find.ts';
import { indentOf, type Shift, shifted } from './indent.ts';
import { commonestEnd, endAt, type LineEnd, linesOf, type Place, type Splice } from './lines.ts';
import { indexOf, normalLine, originOf, withoutTail } from './normal.ts';

/** A run of lines of the new text: kept ones stand at `from` of the old, others replace `count` lines there. */
export interface Stretch {
  readonly kept: boolean;
  readonly from: number;
  readonly count: number;
  /** As they were looked for; of kept ones the same as `texts`. */
  readonly before: readonly string[];
  readonly texts: readonly string[];
}

export interface Rewriting {
  readonly source: string;
  readonly ends: LineEnds;
  readonly place: Place;
  readonly how: How;
  readonly shift?: Shift | undefined;
  /** Whole lines: what is new ends with a line end, unless it becomes the end of a file without one. */
  readonly whole: boolean;
  /** Asked for: that the text ends, or does not end, with a line end. */
  readonly finalEnd?: boolean | undefined;
}

/** A part of the new text; `at` where it stands already. */
interface Part {
  readonly text: string;
  readonly at?: Place;
}

const kept = (start: number, end: number): Part => ({ text: '', at: { start, end } });

/**
 * What changes at a place. Lines that old and new text have in common keep every byte, whatever was overlooked to find
 * them; new lines take the line end of the lines they replace, else of their neighbours, else the file's commonest.
 */
export function rewritten(
  { source, ends, place, how, shift, whole, finalEnd }: Rewriting,
  stretches: readonly Stretch[],
  diff: typeof diffArrays,
): readonly Splice[] {
  const there = linesAt(source, place, whole);
  const made: { readonly content: readonly Part[]; readonly end: () => Part; readonly kept: boolean }[] = [];
  for (const { kept: isKept, from, count, before, texts } of stretches) {
    for (const [at, text] of texts.entries()) {
      const own = at < count ? there[from + at] : undefined;
      const content: readonly Part[] =
        own === undefined
          ? [{ text: shift === undefined ? text : shifted(text, shift) }]
          : isKept
            ? [kept(own.start, own.start + own.text.length)]
            : changedLine(own, before[at] ?? '', text, texts.length === count, how, shift, diff);
      const end = (): Part =>
        own !== undefined && own.end !== ''
          ? kept(own.start + own.text.length, own.start + own.text.length + own.end.length)
          : { text: endFor(there, from, count) ?? ends.at(place.start) };
      made.push({ content, end, kept: isKept && own?.end !== '' });
    }
  }
  const parts: Part[] = [];
  const isOpen = place.end === source.length && source !== '' && !/[\r\n]$/.test(source);
  if (whole && isOpen && place.start === source.length && made.length > 0) parts.push({ text: ends.at(place.start) });
  for (const [at, { content, end, kept: hasOwnEnd }] of made.entries()) {
    parts.push(...content);
    const isLast = at === made.length - 1;
    if (!isLast || (whole && (finalEnd ?? (hasOwnEnd || !isOpen)))) parts.push(end());
  }
  return splicesOf(source, place, parts);
}

interface LineThere {
  readonly text: string;
  readonly end: LineEnd | '';
  readonly start: number;
}

function linesAt(source: string, place: Place, whole: boolean): readonly LineThere[] {
  const lines: LineThere[] = [];
  let start = place.start;
  for (const { text, end } of linesOf(source.slice(place.start, place.end))) {
    lines.push({ text, end, start });
    start += text.length + end.length;
  }
  // Behind a final line end there is no further line.
  if (whole && lines.at(-1)?.text === '') lines.pop();
  return lines;
}

/** The end of the last line replaced, of the line before, of the line after. */
function endFor(there: readonly LineThere[], from: number, count: number): LineEnd | undefined {
  for (const line of [there[from + count - 1], there[from - 1], there[from], there[from + 1]])
    if (line !== undefined && line.end !== '') return line.end;
  return undefined;
}

/** A line that takes the place of another: of one that was found tolerantly, what the two texts share stays. */
function changedLine(
  own: LineThere,
  before: string,
  text: string,
  paired: boolean,
  how: How,
  shift: Shift | undefined,
  diff: typeof diffArrays,
): readonly Part[] {
  const whole = [{ text: shift === undefined ? text : shifted(text, shift) }];
  if (how === 'exact' || !paired) return whole;
  const tolerance = how === 'spaces' ? 'spaces' : 'signs';
  const there = normalLine(own.text, tolerance);
  const asked = normalLine(before, tolerance);
  const indents = how === 'indent' ? [indentOf(there.text).length, indentOf(asked.text).length] : [0, 0];
  const [thereIndent = 0, askedIndent = 0] = indents;
  /** From a position in the line that was looked for to the one in the file. */
  const toThere = (at: number): number | undefined => {
    const origin = originOf(there, Math.max(0, indexOf(asked, at) - askedIndent) + thereIndent);
    return origin === undefined ? undefined : own.start + origin;
  };
  const isReindented = how === 'indent' && indentOf(before) !== indentOf(text);
  const oldHead = how === 'indent' ? indentOf(before) : '';
  const newHead = how === 'indent' ? indentOf(text) : '';
  const oldBody = withoutTail(before).slice(oldHead.length);
  const newBody = withoutTail(text).slice(newHead.length);
  const oldTail = before.slice(oldHead.length + oldBody.length);
  const newTail = text.slice(newHead.length + newBody.length);
  const changes = diff(wordsOf(oldBody), wordsOf(newBody), { maxEditLength: 500 });
  if (changes === undefined) return whole;
  const parts: Part[] = [];
  if (how === 'indent')
    parts.push(
      isReindented && shift !== undefined
        ? { text: indentOf(shifted(text, shift)) }
        : kept(own.start, own.start + (originOf(there, thereIndent) ?? 0)),
    );
  let at = oldHead.length;
  for (const { added, removed, value } of changes) {
    const word = value.join('');
    if (added) {
      parts.push({ text: word });
      continue;
    }
    if (!removed) {
      const start = toThere(at);
      const end = toThere(at + word.length);
      if (start === undefined || end === undefined || end < start) return whole;
      parts.push(kept(start, end));
    }
    at += word.length;
  }
  const compared = originOf(there, there.text.length) ?? own.text.length;
  parts.push(oldTail === newTail ? kept(own.start + compared, own.start + own.text.length) : { text: newTail });
  return parts;
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? [];

/** What stands between the parts that stay becomes what comes between them. */
function splicesOf(source: string, place: Place, parts: readonly Part[]): readonly Splice[] {
  const splices: Splice[] = [];
  let from = place.start;
  let text = '';
  const flush = (end: number): void => {
    const splice = trimmed(source, { start: from, end, text });
    if (splice !== undefined) splices.push(splice);
    text = '';
  };
  // A CR that ends a line and an LF that ends the empty line after it would be one line end: the LF becomes CR LF.
  let last = source[place.start] === '\n' ? undefined : source[place.start - 1];
  let to = place.start;
  for (const part of parts) {
    const [first, end] =
      part.at === undefined
        ? [part.text[0], part.text.at(-1)]
        : part.at.end > part.at.start
          ? [source[part.at.start], source[part.at.end - 1]]
          : [];
    if (first === '\n' && last === '\r' && part.at?.start !== to) text += '\r';
    if (end !== undefined) last = end;
    if (part.at !== undefined) to = part.at.end;
    if (part.at === undefined) {
      text += part.text;
    } else if (part.at.end > part.at.start) {
      flush(part.at.start);
      from = part.at.end;
    }
  }
  flush(place.end);
  return splices;
}

/** Without what is the same at both rims; a CRLF and a pair of surrogates stay whole. */
function trimmed(source: string, { start, end, text }: Splice): Splice | undefined {
  let head = 0;
  const most = Math.min(end - start, text.length);
  while (head < most && source[start + head] === text[head]) head += 1;
  while (head > 0 && (splits(source, start + head) || splits(text, head))) head -= 1;
  let tail = 0;
  while (tail < most - head && source[end - 1 - tail] === text[text.length - 1 - tail]) tail += 1;
  while (tail > 0 && (splits(source, end - tail) || splits(text, text.length - tail))) tail -= 1;
  const rest = { start: start + head, end: end - tail, text: text.slice(head, text.length - tail) };
  return rest.start === rest.end && rest.text === '' ? undefined : rest;
}

const splits = (text: string, at: number): boolean =>
  (text[at - 1] === '\r' && text[at] === '\n') || splitsPair(text, at);

/** The lines of two texts as stretches. `lone`: whether a CR by itself ends a line of the new text, or is part of it. */
export function stretchesOf(
  oldText: string,
  newText: string,
  diff: typeof diffArrays,
  lone: 'ends' | 'stays' = 'ends',
): readonly Stretch[] {
  const before = linesOf(oldText).map((line) => line.text);
  const after = lone === 'ends' ? linesOf(newText).map((line) => line.text) : newText.split(/\r\n|\n/);
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail))
    tail += 1;
  const last = before.length - tail;
  const tails = after.slice(after.length - tail);
  return [
    { kept: true, from: 0, count: head, before: before.slice(0, head), texts: after.slice(0, head) },
    ...middleStretches(before.slice(head, last), after.slice(head, after.length - tail), head, diff),
    { kept: true, from: last, count: tail, before: tails, texts: tails },
  ].filter(({ texts }) => texts.length > 0);
}

function middleStretches(
  before: readonly string[],
  after: readonly string[],
  head: number,
  diff: typeof diffArrays,
): readonly Stretch[] {
  const whole: Stretch = { kept: false, from: head, count: before.length, before, texts: after };
  if (before.length === 0 || after.length === 0) return [whole];
  // Texts that have little in common are replaced as a whole; looking for what they share would take long.
  const changes = diff([...before], [...after], { maxEditLength: 1_000 });
  if (changes === undefined) return [whole];
  const found: Stretch[] = [];
  let from = head;
  let gone: string[] = []; // lines that nothing has taken the place of yet
  for (const { added, removed, value } of changes) {
    if (removed) {
      gone.push(...value);
    } else if (added) {
      found.push({ kept: false, from, count: gone.length, before: gone, texts: value });
      from += gone.length;
      gone = [];
    } else {
      from += gone.length;
      gone = [];
      found.push({ kept: true, from, count: value.length, before: value, texts: value });
      from += value.length;
    }
  }
  return found;
}

/** The line ends of a file, for lines that have nothing nearer to go by. */
export interface LineEnds {
  at(position: number): LineEnd;
}

export function lineEndsOf(source: string): LineEnds {
  let commonest: LineEnd | undefined;
  const hasAny = /[\r\n]/.test(source);
  return {
    at(position) {
      if (!hasAny) return '\n';
      const near = endAt(source, position);
      if (near !== undefined) return near;
      commonest ??= commonestEnd(source);
      return commonest;
    },
  };
}
