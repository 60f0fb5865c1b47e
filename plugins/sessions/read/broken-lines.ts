import { isUtf8 } from 'node:buffer';
import { type EntryIndex, holeType } from './entry-index.ts';
import { freeId } from './ids.ts';
import type { BadPart } from './mend.ts';
import type { LineSource } from './source.ts';

/** Of a broken line that is longer an entry holds no more than this; another one goes on. */
const partBytes = 4 * 1024 * 1024;

/** Where an entry of a broken line stands in the tree. */
interface Stand {
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

/** The entries that keep what could not be read, so that a file that is written anew has lost nothing. */
export class BrokenLines {
  readonly #index: EntryIndex;
  readonly #source: LineSource;
  readonly #parts: readonly BadPart[];
  /** By where a line begins: what of it is broken. */
  readonly #byPlace: ReadonlyMap<number, BadPart>;
  readonly #order: readonly number[];
  readonly #made = new Set<string>();
  #next = 0;
  #previous: string | null = null;

  constructor(index: EntryIndex, source: LineSource, bad: readonly BadPart[], order: readonly number[]) {
    this.#index = index;
    this.#source = source;
    this.#order = order;
    this.#byPlace = new Map(bad.map((part) => [part.at, part]));
    const holes = new Set(order.flatMap((nth) => (index.type(nth) === holeType ? [index.place(nth).at] : [])));
    this.#parts = bad.filter(({ at }) => !holes.has(at)).sort((a, b) => a.at - b.at);
  }

  /** Those that stand before an entry in the file; before the last entry also those behind it, which shall stay the last. */
  *before(nth: number): Generator<string> {
    const isLast = nth === this.#order.at(-1);
    const at = isLast ? Number.POSITIVE_INFINITY : (this.#index.place(nth).at ?? 0);
    yield* this.#sides(at);
    this.#previous = this.#index.id(nth);
  }

  /** Where there is no entry at all. */
  rest(): Generator<string> {
    return this.#sides(Number.POSITIVE_INFINITY);
  }

  /** Those of a hole: the first has its id, so that what follows it hangs on. */
  *of(nth: number): Generator<string> {
    const place = this.#index.place(nth);
    const { at = 0 } = place;
    const { length, line } = this.#byPlace.get(at) ?? place;
    const parentId = this.#index.parentId(nth);
    const stand = { id: this.#index.id(nth), parentId, timestamp: this.#index.timestamp(nth) };
    yield* this.#entries(line, at, length, stand);
  }

  /** What a line was whose text is mended now. */
  beside(nth: number, original: Buffer): Iterable<string> {
    const { line } = this.#index.place(nth);
    const parentId = this.#index.parentId(nth);
    return [entryLine(this.#stand(line, parentId), { line, ...textOf(original) })];
  }

  *#sides(before: number): Generator<string> {
    for (let part = this.#parts[this.#next]; part !== undefined && part.at < before; part = this.#parts[this.#next]) {
      this.#next += 1;
      yield* this.#entries(part.line, part.at, part.length, this.#stand(part.line, this.#previous));
    }
  }

  *#entries(line: number, at: number, length: number, first: Stand): Generator<string> {
    const parts = Math.max(1, Math.ceil(length / partBytes));
    for (let part = 0; part < parts; part += 1) {
      const from = part * partBytes;
      const bytes = this.#source.read(at + from, Math.min(partBytes, length - from));
      const stand = part === 0 ? first : this.#stand(line, first.parentId);
      const which = parts === 1 ? {} : { part: part + 1, parts };
      yield entryLine(stand, { line, ...which, ...textOf(bytes) });
    }
  }

  #stand(line: number, parentId: string | null): Stand {
    const id = freeId(line, (taken) => this.#made.has(taken) || this.#index.has(taken));
    this.#made.add(id);
    const beside = this.#index.find(parentId ?? '');
    return { id, parentId, timestamp: beside === undefined ? '' : this.#index.timestamp(beside) };
  }
}

function textOf(bytes: Buffer): { readonly text: string } | { readonly base64: string } {
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') };
}

function entryLine({ id, parentId, timestamp }: Stand, data: object): string {
  const time = timestamp === '' ? new Date(0).toISOString() : timestamp;
  return `${JSON.stringify({ type: 'custom', id, parentId, timestamp: time, customType: holeType, data })}\n`;
}
