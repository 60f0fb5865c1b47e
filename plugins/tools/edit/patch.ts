import type { structuredPatch } from 'diff';
import { lineNumber, type Splice, spliced } from './lines.ts';

export interface Patch {
  /** The hunks, for reading: line ends as LF, overlong lines cut. */
  readonly diff: string;
  /** A unified patch of the file as it is; empty where it would be too large to be of use. */
  readonly patch: string;
  /** In the new file. */
  readonly firstChangedLine: number;
  readonly hunks: readonly Hunk[];
  /** Nothing was left out for its size. */
  readonly isWhole: boolean;
}

export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

const context = 3;
const longestLine = 500;
/** Of the texts around the edits. Beyond, a diff is work for nobody. */
const mostCompared = 4_000_000;
const mostPatched = 1_000_000;

/** Made from the edited places and the lines around them: the size of the file does not matter. */
export function patchOf(
  path: string,
  source: string,
  splices: readonly Splice[],
  diff: typeof structuredPatch,
  from = path,
): Patch {
  const hunks: Hunk[] = [];
  let line = 1;
  let counted = 0;
  let shift = 0;
  let compared = 0;
  let whole = true;
  for (const { start, end, inside } of windowsOf(source, splices)) {
    line += linesIn(source, counted, start);
    counted = start;
    const before = source.slice(start, end);
    const after = spliced(
      before,
      inside.map((splice) => ({ start: splice.start - start, end: splice.end - start, text: splice.text })),
    );
    compared += before.length + after.length;
    if (compared > mostCompared) {
      whole = false;
      break;
    }
    for (const hunk of hunksOf(shown(source, before), shown(source, after), diff)) {
      hunks.push({ ...hunk, oldStart: hunk.oldStart + line - 1, newStart: hunk.newStart + line - 1 + shift });
    }
    shift += linesIn(after, 0, after.length) - linesIn(before, 0, before.length);
  }
  const text = hunks.map((hunk) => `${headOf(hunk)}\n${hunk.lines.join('\n')}\n`).join('');
  return {
    diff: whole ? readable(hunks) : summary(source, splices),
    patch: whole && text.length <= mostPatched ? `--- ${from}\n+++ ${path}\n${text}` : '',
    firstChangedLine: hunks.length > 0 ? firstChanged(hunks[0]) : lineNumber(source, splices[0]?.start ?? 0),
    hunks,
    isWhole: whole,
  };
}

function readable(hunks: readonly Hunk[]): string {
  return hunks.map((hunk) => `${headOf(hunk)}\n${readableLines(hunk.lines).join('\n')}\n`).join('');
}

/** Of lines that are too long the part around the difference. */
function readableLines(lines: readonly string[]): readonly string[] {
  const shown: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, '-');
    at += removed.length;
    // `\ No newline at end of file` may stand between the two sides.
    const mark = runOf(lines, at, '\\');
    at += mark.length;
    const added = runOf(lines, at, '+');
    at += added.length;
    const side = (own: readonly string[], other: readonly string[]): void => {
      for (const [index, line] of own.entries()) shown.push(cut(line, commonStart(line, other[index])));
    };
    side(removed, added);
    shown.push(...mark);
    side(added, removed);
    const line = lines[at];
    if (removed.length + mark.length + added.length > 0 || line === undefined) continue;
    shown.push(cut(line.replace(/\r$/, '')));
    at += 1;
  }
  return shown;
}

function runOf(lines: readonly string[], from: number, sign: string): readonly string[] {
  let to = from;
  while (lines[to]?.startsWith(sign) === true) to += 1;
  return lines.slice(from, to).map((line) => line.replace(/\r$/, ''));
}

function commonStart(line: string, other: string | undefined): number {
  if (other === undefined || line.length <= longestLine) return 0;
  let at = 1;
  while (at < line.length && line[at] === other[at]) at += 1;
  return at;
}

/** A line for reading: cut where it is too long, from shortly before `from`. */
export function cut(line: string, from = 0): string {
  if (line.length <= longestLine) return line.toWellFormed();
  const start = Math.max(1, Math.min(from - 100, line.length - longestLine));
  const part = line.slice(start, start + longestLine);
  const more = start + longestLine < line.length ? '…' : '';
  return `${line[0]}${start > 1 ? '…' : ''}${part}${more} (${line.length - 1} characters)`.toWellFormed();
}

/** Instead of a diff of more than can be compared: the first edits, with what stands around them. */
function summary(source: string, splices: readonly Splice[]): string {
  const rows = splices.slice(0, 10).map(({ start, end, text }) => {
    const head = source.slice(Math.max(0, start - 60), start).replace(/^[\s\S]*[\r\n]/, '');
    const tail = source.slice(end, end + 60).replace(/[\r\n][\s\S]*$/, '');
    const side = (sign: string, part: string): string =>
      `${part.slice(0, 2_000)}`
        .split(/\r\n|\n|\r/)
        .slice(0, 5)
        .map((line, at) => cut(`${sign}${at === 0 ? head : ''}${line}`))
        .join('\n');
    return `@@ line ${lineNumber(source, start)} @@\n${side('-', source.slice(start, Math.min(end, start + 2_000)))}${tail}\n${side('+', text)}${tail}\n`;
  });
  return `${rows.join('')}[${splices.length} changes: too large for a whole diff]\n`;
}

/** Whole lines around edits, those that would touch each other as one. */
function windowsOf(source: string, splices: readonly Splice[]) {
  const windows: { start: number; end: number; calm: number; inside: Splice[] }[] = [];
  for (const splice of splices) {
    const last = windows.at(-1);
    // In a file of few long lines looking for the rims again and again would take long.
    const start =
      last !== undefined && splice.start < last.end ? splice.start : linesBack(source, splice.start, context);
    const end = last !== undefined && splice.end <= last.calm ? last.end : linesOn(source, splice.end, context);
    if (last !== undefined && start <= last.end) {
      last.calm = end > last.end ? lineEndBehind(source, splice.end) : last.calm;
      last.end = Math.max(last.end, end);
      last.inside.push(splice);
    } else {
      windows.push({ start, end, calm: lineEndBehind(source, splice.end), inside: [splice] });
    }
  }
  return windows;
}

/** As far as this an edit that follows is in the same line, and needs no more lines after it. */
function lineEndBehind(source: string, at: number): number {
  const next = source.indexOf('\n', at);
  return next === -1 ? source.length : next;
}

/** The start of the line `count` lines before the one of `at`. */
function linesBack(source: string, at: number, count: number): number {
  let start = at === 0 ? 0 : source.lastIndexOf('\n', at - 1) + 1;
  for (let line = 0; line < count && start > 0; line += 1)
    start = start === 1 ? 0 : source.lastIndexOf('\n', start - 2) + 1;
  return start;
}

/** The end of the line `count` lines after the one of `at`. */
function linesOn(source: string, at: number, count: number): number {
  let end = at;
  for (let line = 0; line <= count; line += 1) {
    const next = source.indexOf('\n', end);
    if (next === -1) return source.length;
    end = next + 1;
  }
  return end;
}

function linesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** In a file of CR alone these are the lines. */
const shown = (source: string, part: string): string => (source.includes('\n') ? part : part.replaceAll('\r', '\n'));

function hunksOf(before: string, after: string, diff: typeof structuredPatch): readonly Hunk[] {
  const patch = diff('', '', before, after, '', '', { context, maxEditLength: 1_000, timeout: 2_000 });
  if (patch !== undefined) return patch.hunks;
  // Too different for a comparison to say more.
  const removed = linesOfText(before);
  const added = linesOfText(after);
  return [
    {
      oldStart: 1,
      oldLines: removed.length,
      newStart: 1,
      newLines: added.length,
      lines: [
        ...removed.map((line) => `-${line}`),
        ...endless(before),
        ...added.map((line) => `+${line}`),
        ...endless(after),
      ],
    },
  ];
}

const endless = (text: string): readonly string[] =>
  text === '' || text.endsWith('\n') ? [] : ['\\ No newline at end of file'];

function linesOfText(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Of an empty side the line before is named. */
function headOf({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  const range = (start: number, count: number): string =>
    `${count === 0 ? start - 1 : start}${count === 1 ? '' : `,${count}`}`;
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

function firstChanged(hunk: Hunk | undefined): number {
  if (hunk === undefined) return 1;
  const at = hunk.lines.findIndex((line) => line.startsWith('+') || line.startsWith('-'));
  return Math.max(1, hunk.newStart + Math.max(0, at));
}
