import { createReadStream } from 'node:fs';
import { codeOf, KernError } from 'kern/plugin';
import { LineSplitter } from '../read/lines.ts';

/** A line of another program's file: an object, or what is wrong with it. */
export type TranscriptLine =
  | { readonly number: number; readonly raw: Raw }
  | { readonly number: number; readonly problem: string };

export type Raw = Readonly<Record<string, unknown>>;

/** Longer lines are passed over: nothing that a person said is that long. */
const longestLine = 64 * 1024 * 1024;

/** The lines of a transcript, one after the other. What cannot be read is told, and the rest is read all the same. */
export async function* transcriptLines(file: string, signal: AbortSignal): AsyncGenerator<TranscriptLine> {
  const waiting: TranscriptLine[] = [];
  const splitter = new LineSplitter(longestLine, ({ number, length, head, last }) => {
    if (last === undefined) return;
    if (length > longestLine) waiting.push({ number, problem: `it has ${length} bytes` });
    else waiting.push(parsed(number, head));
  });
  try {
    for await (const chunk of createReadStream(file, { signal })) {
      splitter.push(chunk);
      yield* waiting.splice(0);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(file, error);
  }
  splitter.end();
  yield* waiting.splice(0);
}

/** The first bytes of a file, up to the last whole line among them. */
export async function headOfFile(file: string, signal: AbortSignal, bytes = 64 * 1024): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(file, { end: bytes - 1, signal })) chunks.push(chunk);
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(file, error);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return text.length < bytes / 4 || !text.includes('\n') ? text : text.slice(0, text.lastIndexOf('\n') + 1);
}

/** The objects among the first lines. */
export function headLines(head: string): readonly Raw[] {
  return head.split('\n').flatMap((line) => {
    if (line.trim() === '') return [];
    const found = parsed(0, Buffer.from(line));
    return 'raw' in found ? [found.raw] : [];
  });
}

function parsed(number: number, bytes: Buffer): TranscriptLine {
  try {
    const raw: unknown = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    return isRaw(raw) ? { number, raw } : { number, problem: 'it is no JSON object' };
  } catch {
    return { number, problem: 'it is no JSON' };
  }
}

function unreadable(file: string, cause: unknown): KernError {
  const why = codeOf(cause) === 'ENOENT' ? 'is not there' : 'cannot be read';
  return new KernError('import_unreadable', `${file} ${why}`, { cause });
}

export const isRaw = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;

/** A value within values, as far as it is there. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isRaw(inner) ? inner[key] : undefined), value);
}

/** Milliseconds since 1970. */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
