/**
 * The engine works on bytes, held as a string of one character a byte: what is not edited cannot change, whatever its
 * encoding. `\r\n`, `\n` and a lone `\r` end a line.
 */
export type Bytes = string;

export const toBytes = (text: string): Bytes => Buffer.from(text, 'utf8').toString('latin1');
export const toText = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString('utf8');

export interface Line {
  readonly text: string;
  /** Empty at the end of what has no final line end. */
  readonly end: '\r\n' | '\n' | '\r' | '';
}

/** Text in lines; the last one has no end, and is empty where the text ends with one. */
export function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  const ends = /\r\n|\n|\r/g;
  let from = 0;
  for (let match = ends.exec(text); match !== null; match = ends.exec(text)) {
    lines.push({ text: text.slice(from, match.index), end: match[0] as '\r\n' | '\n' | '\r' });
    from = ends.lastIndex;
  }
  lines.push({ text: text.slice(from), end: '' });
  return lines;
}

/** The line end that is used most; LF where there is none. */
export function commonestEnd(source: Bytes): '\r\n' | '\n' | '\r' {
  const counts = { '\r\n': 0, '\n': 0, '\r': 0 };
  for (const [end] of source.matchAll(/\r\n|\n|\r/g)) counts[end as keyof typeof counts] += 1;
  if (counts['\r\n'] > counts['\n'] && counts['\r\n'] >= counts['\r']) return '\r\n';
  return counts['\r'] > counts['\n'] ? '\r' : '\n';
}

/** The end of the line that position `at` is in; of the line before, where it is the last and has none. */
export function endAt(source: Bytes, at: number): '\r\n' | '\n' | '\r' | undefined {
  const ends = /\r\n|\n|\r/g;
  ends.lastIndex = at;
  const after = ends.exec(source)?.[0];
  if (after !== undefined) return after as '\r\n' | '\n' | '\r';
  const before = Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1));
  if (at === 0 || before === -1) return undefined;
  if (source[before] === '\r') return '\r';
  return source[before - 1] === '\r' ? '\r\n' : '\n';
}

/** The number of the line that position `at` is in, from 1. */
export function lineNumber(source: Bytes, at: number): number {
  let line = 1;
  const ends = /\r\n|\n|\r/g;
  for (let match = ends.exec(source); match !== null && ends.lastIndex <= at; match = ends.exec(source)) line += 1;
  return line;
}
