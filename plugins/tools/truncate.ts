/** What a result may hold for the model: whichever is reached first. */
export const outputLimits: OutputLimits = { lines: 2_000, bytes: 50 * 1024 };

export interface OutputLimits {
  readonly lines: number;
  readonly bytes: number;
}

export interface Truncated {
  readonly text: string;
  readonly truncated: boolean;
  /** Which limit was reached. */
  readonly by: 'lines' | 'bytes' | undefined;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly shownLines: number;
  /** The one line that is shown is itself cut: it alone is over the limit of bytes. */
  readonly cutLine: boolean;
}

/** Keeps the beginning: what is read. Whole lines, but for a first line that is longer than the limit by itself. */
export function truncateHead(text: string, limits: OutputLimits = outputLimits): Truncated {
  const lines = linesOf(text);
  const whole = fits(text, lines, limits);
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
  if (count === 0) return cut(text, lines, cutToBytes(first, limits.bytes), 'bytes', 1, true);
  return cut(text, lines, lines.slice(0, count).join('\n'), count === limits.lines ? 'lines' : 'bytes', count, false);
}

/** Keeps the end: what a command prints. Whole lines, but for a last line that is longer than the limit by itself. */
export function truncateTail(text: string, limits: OutputLimits = outputLimits): Truncated {
  const lines = linesOf(text);
  const whole = fits(text, lines, limits);
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
  if (count === 0) return cut(text, lines, cutToLastBytes(last, limits.bytes), 'bytes', 1, true);
  return cut(text, lines, lines.slice(-count).join('\n'), count === limits.lines ? 'lines' : 'bytes', count, false);
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

/** `a\nb\n` is two lines. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function fits(text: string, lines: readonly string[], limits: OutputLimits): Truncated | undefined {
  const totalBytes = byteLength(text);
  if (lines.length > limits.lines || totalBytes > limits.bytes) return undefined;
  return {
    text,
    truncated: false,
    by: undefined,
    totalLines: lines.length,
    totalBytes,
    shownLines: lines.length,
    cutLine: false,
  };
}

function cut(
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
    by,
    totalLines: lines.length,
    totalBytes: byteLength(text),
    shownLines,
    cutLine,
  };
}

const byteLength = (text: string): number => Buffer.byteLength(text, 'utf8');
