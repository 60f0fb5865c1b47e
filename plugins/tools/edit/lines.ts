export type LineEnd = '\r\n' | '\n' | '\r';

/** `\r\n`, `\n` and a lone `\r` end a line. */
export interface Line {
  readonly text: string;
  /** Empty at the end of what has no final line end. */
  readonly end: LineEnd | '';
}

/** A part of a text. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A place and what comes there. */
export interface Splice extends Place {
  readonly text: string;
}

/** Text in lines; the last one has no end, and is empty where the text ends with one. */
export function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  const ends = /\r\n|\n|\r/g;
  let from = 0;
  for (let match = ends.exec(text); match !== null; match = ends.exec(text)) {
    lines.push({ text: text.slice(from, match.index), end: match[0] as LineEnd });
    from = ends.lastIndex;
  }
  lines.push({ text: text.slice(from), end: '' });
  return lines;
}

/** The texts of lines, as an editor would number them: no empty one behind a final line end. */
export function lineTexts(text: string): readonly string[] {
  const texts = linesOf(text).map((line) => line.text);
  if (texts.at(-1) === '') texts.pop();
  return texts;
}

/** The line end that is used most; LF where there is none. */
export function commonestEnd(source: string): LineEnd {
  const counts = { '\r\n': 0, '\n': 0, '\r': 0 };
  for (const [end] of source.matchAll(/\r\n|\n|\r/g)) counts[end as LineEnd] += 1;
  if (counts['\r\n'] > counts['\n'] && counts['\r\n'] >= counts['\r']) return '\r\n';
  return counts['\r'] > counts['\n'] ? '\r' : '\n';
}

/** The end of the line that position `at` is in; of the line before, where it is the last and has none. */
export function endAt(source: string, at: number): LineEnd | undefined {
  const ends = /\r\n|\n|\r/g;
  ends.lastIndex = at;
  const after = ends.exec(source)?.[0];
  if (after !== undefined) return after as LineEnd;
  const before = Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1));
  if (at === 0 || before === -1) return undefined;
  if (source[before] === '\r') return '\r';
  return source[before - 1] === '\r' ? '\r\n' : '\n';
}

/** The number of the line that position `at` is in, from 1. */
export function lineNumber(source: string, at: number): number {
  let line = 1;
  const ends = /\r\n|\n|\r/g;
  for (let match = ends.exec(source); match !== null && ends.lastIndex <= at; match = ends.exec(source)) line += 1;
  return line;
}

/** The text with the new texts in their places, which come in order. */
export function spliced(source: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, text } of splices) {
    parts.push(source.slice(from, start), text);
    from = end;
  }
  return parts.join('') + source.slice(from);
}
