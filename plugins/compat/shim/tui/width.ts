import { stripVTControlCharacters } from 'node:util';

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
// As text: what is looked for are control characters.
const sequence = String.raw`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|_[^\x07\x1b]*(?:\x07|\x1b\\))`;

/** How many columns a character takes. */
function columns(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 32 || (code >= 0x7f && code < 0xa0)) return character === '\t' ? 4 : 0;
  if (/^[\p{Mark}\p{Format}]+$/u.test(character)) return 0;
  if (/\p{Emoji_Presentation}/u.test(character) || character.includes('\ufe0f')) return 2;
  const isWide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf && code !== 0x303f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return isWide ? 2 : 1;
}

/** Columns of a text, without what colours it. */
export function visibleWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  // Most texts need no segments.
  if (/^[ -~]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of segments.segment(plain)) width += columns(segment);
  return width;
}

interface Piece {
  readonly text: string;
  readonly width: number;
}

/** Characters with their widths, and control sequences without any. */
function* pieces(text: string): Generator<Piece> {
  const control = new RegExp(sequence, 'y');
  let at = 0;
  while (at < text.length) {
    control.lastIndex = at;
    const found = control.exec(text)?.[0];
    if (found !== undefined) {
      yield { text: found, width: 0 };
      at += found.length;
      continue;
    }
    const next = text.indexOf('\x1b', at + 1);
    const run = text.slice(at, next < 0 ? text.length : next);
    for (const { segment } of segments.segment(run)) yield { text: segment, width: columns(segment) };
    at += run.length;
  }
}

/** As much as fits, with a mark where something is missing. */
export function truncateToWidth(text: string, width: number, mark = '…', isPadded = false): string {
  const whole = visibleWidth(text);
  if (whole <= width) return isPadded ? text + ' '.repeat(width - whole) : text;
  const room = Math.max(0, width - visibleWidth(mark));
  let shown = '';
  let used = 0;
  let isFull = false;
  for (const piece of pieces(text)) {
    if (piece.width > 0 && used + piece.width > room) isFull = true;
    // Colours after the cut are kept: they are what ends those before it.
    if (isFull && piece.width > 0) continue;
    shown += piece.text;
    used += piece.width;
  }
  return `${shown}${width > 0 ? mark : ''}`;
}

/** Lines that are no wider; words stay whole where they fit. */
export function wrapTextWithAnsi(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapped(line, Math.max(1, width)));
}

function wrapped(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  let used = 0;
  const end = (): void => {
    lines.push(current.trimEnd());
    current = '';
    used = 0;
  };
  for (const word of line.split(/(?<= )/)) {
    const size = visibleWidth(word.trimEnd());
    if (used > 0 && used + size > width) end();
    if (size <= width) {
      current += word;
      used += visibleWidth(word);
      continue;
    }
    for (const piece of pieces(word)) {
      if (used + piece.width > width) end();
      current += piece.text;
      used += piece.width;
    }
  }
  lines.push(current);
  return lines;
}
