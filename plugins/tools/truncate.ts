/** What a result may hold for the model: whichever is reached first. */
export const outputLimits: OutputLimits = { lines: 2_000, bytes: 50 * 1024 };

export interface OutputLimits {
  readonly lines: number;
  readonly bytes: number;
}

export interface Truncated {
  readonly text: string;
  readonly truncated: boolean;
  /** The part that is kept. */
  readonly direction: 'head' | 'tail' | 'middle';
  /** Which limit was reached. */
  readonly by: 'lines' | 'bytes' | undefined;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly shownLines: number;
  /** The one line that is shown is itself cut: it alone is over the limit of bytes. */
  readonly cutLine: boolean;
  /** Lines in the middle that are left out, from 1. */
  readonly gap?: { readonly from: number; readonly to: number };
}

/** Keeps the beginning: what is read. Whole lines, but for a first line that is longer than the limit by itself. */
export function truncateHead(text: string, limits: OutputLimits = outputLimits): Truncated {
  const lines = linesOf(text);
  const whole = fits('head', text, lines, limits);
  if (whole !== undefined) return whole;
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    const next = bytes + byteLength(line) + (count > 0 ? 1 : 0);
    if (count === limits.lines || next > limits.bytes) break;
    bytes = next;
    count += 1;
  }
  const first = lines[0] ?? '';
  if (count === 0) return cut('head', text, lines, cutToBytes(first, limits.bytes), 'bytes', 1, true);
  return cut(
    'head',
    text,
    lines,
    lines.slice(0, count).join('\n'),
    count === limits.lines ? 'lines' : 'bytes',
    count,
    false,
  );
}

/** Keeps the end: what a command prints. Whole lines, but for a last line that is longer than the limit by itself. */
export function truncateTail(text: string, limits: OutputLimits = outputLimits): Truncated {
  const lines = linesOf(text);
  const whole = fits('tail', text, lines, limits);
  if (whole !== undefined) return whole;
  let bytes = 0;
  let count = 0;
  for (const line of lines.toReversed()) {
    const next = bytes + byteLength(line) + (count > 0 ? 1 : 0);
    if (count === limits.lines || next > limits.bytes) break;
    bytes = next;
    count += 1;
  }
  const last = lines.at(-1) ?? '';
  if (count === 0) return cut('tail', text, lines, cutToLastBytes(last, limits.bytes), 'bytes', 1, true);
  return cut(
    'tail',
    text,
    lines,
    lines.slice(-count).join('\n'),
    count === limits.lines ? 'lines' : 'bytes',
    count,
    false,
  );
}

/**
 * Keeps the beginning and the end, half of the limits each, with a line between them that says how much is left out: for
 * what is long in the middle, as replies of servers are. Whole lines, but where one is too long by itself.
 */
export function truncateMiddle(text: string, limits: OutputLimits = outputLimits): Truncated {
  const lines = linesOf(text);
  const whole = fits('middle', text, lines, limits);
  if (whole !== undefined) return whole;
  const half = {
    lines: Math.max(1, Math.floor(limits.lines / 2)),
    bytes: Math.max(1, Math.floor((limits.bytes - 2) / 2)),
  };
  const first = truncateHead(text, half);
  const last = truncateTail(text, half);
  const gap = { from: first.shownLines + 1, to: lines.length - last.shownLines };
  const totalBytes = byteLength(text);
  const by = lines.length > limits.lines ? 'lines' : 'bytes';
  if (gap.to >= gap.from) {
    const shown = `${first.text}\n[… ${gap.to - gap.from + 1} lines …]\n${last.text}`;
    const shownLines = first.shownLines + last.shownLines;
    return {
      ...first,
      text: shown,
      direction: 'middle',
      by,
      totalLines: lines.length,
      shownLines,
      cutLine: false,
      gap,
    };
  }
  // A line that is most of the text by itself: it is cut within.
  const left = totalBytes - byteLength(first.text) - byteLength(last.text);
  return {
    ...first,
    text: `${first.text}${first.cutLine ? '' : '\n'}[… ${formatBytes(left)} …]${last.cutLine ? '' : '\n'}${last.text}`,
    direction: 'middle',
    by,
    shownLines: lines.length,
    cutLine: true,
  };
}

/** A character may be made of any number of code points. */
const lineBytes = 4_000;

/** The first characters of a line, as a person counts them; never a part of one. */
export function truncateLine(line: string, characters = 500): { readonly text: string; readonly isCut: boolean } {
  // A character takes at least one UTF-16 unit: most lines need no counting.
  if (line.length <= characters) return { text: line, isCut: false };
  const most = Math.max(lineBytes, characters * 8);
  let count = 0;
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(
    line.slice(0, most),
  )) {
    if (count === characters) break;
    count += 1;
    end = index + segment.length;
  }
  const text = cutToBytes(line.slice(0, end), most);
  return { text, isCut: text.length < line.length };
}

/** The first `bytes` of a text, at the end of a character. */
export function cutToBytes(text: string, bytes: number): string {
  // A character is at most three bytes for each of its UTF-16 units: no need to encode what cannot fit.
  const encoded = Buffer.from(text.slice(0, bytes), 'utf8');
  if (encoded.length <= bytes) return encoded.toString('utf8');
  let end = bytes;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString('utf8', 0, end);
}

/** The last `bytes` of a text, from the start of a character. */
export function cutToLastBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text.slice(-bytes), 'utf8');
  let start = Math.max(0, encoded.length - bytes);
  while (start < encoded.length && ((encoded[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return encoded.toString('utf8', start);
}

/** `17 bytes`, `4.0 KB`, `1.5 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const units = ['KB', 'MB', 'GB', 'TB'] as const;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit] ?? 'TB'}`;
}

/** A size and the limit it is over. Where both round to `9.5 MB`, that would explain nothing: then to the byte. */
export function formatOver(bytes: number, limit: number): readonly [size: string, limit: string] {
  const rounded = [formatBytes(bytes), formatBytes(limit)] as const;
  return rounded[0] === rounded[1] ? [`${bytes} bytes`, `${limit} bytes`] : rounded;
}

/** `a\nb\n` is two lines. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function fits(
  direction: Truncated['direction'],
  text: string,
  lines: readonly string[],
  limits: OutputLimits,
): Truncated | undefined {
  const totalBytes = byteLength(text);
  if (lines.length > limits.lines || totalBytes > limits.bytes) return undefined;
  return {
    text,
    truncated: false,
    direction,
    by: undefined,
    totalLines: lines.length,
    totalBytes,
    shownLines: lines.length,
    cutLine: false,
  };
}

function cut(
  direction: Truncated['direction'],
  text: string,
  lines: readonly string[],
  shown: string,
  by: 'lines' | 'bytes',
  shownLines: number,
  cutLine: boolean,
): Truncated {
  return {
    text: shown,
    truncated: true,
    direction,
    by,
    totalLines: lines.length,
    totalBytes: byteLength(text),
    shownLines,
    cutLine,
  };
}

const byteLength = (text: string): number => Buffer.byteLength(text, 'utf8');
