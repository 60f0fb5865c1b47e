/**
 * A line in the form in which it is compared. `from[i]` is where its character `i` stands in the line, and the last of
 * `from` where the compared part ends; without `from` every character stands where it stood.
 */
export interface Normal {
  readonly text: string;
  readonly from?: readonly number[];
}

/** How much two lines may differ and still be the same. */
export type Tolerance = 'spaces' | 'signs';

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is meant.
const beyondAscii = /[^\x00-\x7f]/;
export const isAscii = (text: string): boolean => !beyondAscii.test(text);

/** `spaces`: without those at its end. `signs`: quotes, dashes, spaces and wide forms as their plain ones, too. */
export function normalLine(line: string, tolerance: Tolerance): Normal {
  if (tolerance === 'spaces' || isAscii(line)) return { text: withoutTail(line) };
  const parts: string[] = [];
  const from: number[] = [];
  for (let at = 0; at < line.length; ) {
    const end = clusterEnd(line, at);
    const plain = plainSign(line.slice(at, end));
    parts.push(plain);
    for (let index = 0; index < plain.length; index += 1) from.push(at);
    at = end;
  }
  const whole = parts.join('');
  const text = withoutTail(whole);
  if (text === line) return { text };
  return { text, from: [...from.slice(0, text.length), from[text.length] ?? line.length] };
}

export const withoutTail = (text: string): string => {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return end === text.length ? text : text.slice(0, end);
};

/** Behind a character and the marks that stand on it. */
function clusterEnd(line: string, at: number): number {
  let end = at + ((line.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  while (end < line.length && isMark(line, end)) end += 1;
  return end;
}

const mark = /^\p{M}/u;

function isMark(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  return code >= 0x300 && !isIdeograph(code) && mark.test(line[at] ?? '');
}

/** Chinese characters and Hangul: most of what is beyond ASCII where anything is, and always plain. */
const isIdeograph = (code: number): boolean => (code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3);

/** What cannot be told apart on a screen is one thing. */
function plainSign(cluster: string): string {
  const code = cluster.charCodeAt(0);
  if (cluster.length === 1 && (code < 0x80 || isIdeograph(code))) return cluster;
  const known = signs.get(cluster);
  if (known !== undefined) return known;
  // A byte that is no character is shown to models as U+FFFD.
  if (cluster.length === 1 && code >= 0xdc80 && code <= 0xdcff) return '\ufffd';
  return cluster.normalize('NFKC');
}

const signs: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "'": '‘’‚‛′´ʼ＇',
    '"': '“”„‟″＂',
    '-': '‐‑‒–—―−﹘﹣－',
    ' ': '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
    '': '\u200b\u2060\ufeff',
  }).flatMap(([plain, others]) => [...others].map((other) => [other, plain] as const)),
);

/** Where the first `index` compared characters end in the line; `undefined` in the middle of what is one sign there. */
export function originOf({ text, from }: Normal, index: number): number | undefined {
  if (from === undefined) return index;
  if (index > 0 && index < text.length && from[index] === from[index - 1]) return undefined;
  return from[index];
}

/** How many compared characters stand before position `at` of the line. */
export function indexOf({ text, from }: Normal, at: number): number {
  if (from === undefined) return Math.min(at, text.length);
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
