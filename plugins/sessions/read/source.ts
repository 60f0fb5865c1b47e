import type { SessionStorage } from 'kern/contracts';
import { KernError, messageOf } from 'kern/plugin';

/** A line above this is not read: it would not become a text of JavaScript, or eat the memory of everything else. */
export const longestLine = 64 * 1024 * 1024;

const windowBytes = 1024 * 1024;

/** The bytes of a session's lines. */
export class LineSource {
  readonly #storage: Pick<SessionStorage, 'readSync'>;
  readonly #path: string;

  constructor(storage: Pick<SessionStorage, 'readSync'>, path: string) {
    this.#storage = storage;
    this.#path = path;
  }

  read(at: number, length: number): Buffer {
    try {
      const bytes = this.#storage.readSync(this.#path, at, length);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } catch (cause) {
      throw new KernError('session_unreadable', `${this.#path} cannot be read: ${messageOf(cause)}`, {
        cause,
        hint: 'it was moved, deleted or closed to you since it was opened: put it back, or go on in another session',
      });
    }
  }

  /** For lines that are read one after the other: they are fetched a megabyte at a time. */
  inRow(): { read(at: number, length: number): Buffer } {
    let from = 0;
    let window: Buffer = Buffer.alloc(0);
    return {
      read: (at, length) => {
        if (at < from || at + length > from + window.length) {
          from = at;
          window = this.read(at, Math.max(length, windowBytes));
        }
        return window.subarray(at - from, at - from + length);
      },
    };
  }
}

const deepest = 500;

/** Nothing that was ever said is nested like this; whoever walks through it or writes it anew runs out of stack. */
export function isTooDeep(value: unknown, left = deepest): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (left === 0) return true;
  return Array.isArray(value)
    ? value.some((item) => isTooDeep(item, left - 1))
    : Object.values(value).some((item) => isTooDeep(item, left - 1));
}

/** The object on a line; undefined for a line that holds none. */
export function parsedLine(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const raw: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
      ? (raw as Record<string, unknown>)
      : undefined;
  } catch {
    // What is on a broken line is told by whoever asked for it.
    return undefined;
  }
}
