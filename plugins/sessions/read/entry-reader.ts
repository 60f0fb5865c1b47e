import type { ForeignEntry, Repair, SessionEntry } from 'kern/contracts';
import { mayHaveBlobs, type ResolveBlob, withBlobs } from './blob-references.ts';
import { entryOf, holeOf } from './entry.ts';
import { type EntryIndex, holeType } from './entry-index.ts';
import { migrated } from './migrate.ts';
import { isTooDeep, type LineSource, longestLine, parsedLine } from './source.ts';

export interface EntryReaderParts {
  readonly index: EntryIndex;
  readonly source: LineSource;
  readonly version: () => number;
  readonly resolveBlob: ResolveBlob | undefined;
  readonly repair: (nth: number, kind: Repair['kind'], message: string) => void;
}

/** Bytes, by place. */
export interface Bytes {
  read(at: number, length: number): Buffer;
}

/** Reads what the entries of a file hold. A line that turns out to be broken is a hole: it is told, and nothing ends. */
export class EntryReader {
  readonly #parts: EntryReaderParts;

  constructor(parts: EntryReaderParts) {
    this.#parts = parts;
  }

  /** `bytes`: where many entries are read in a row. */
  read(nth: number, bytes: Bytes = this.#parts.source): SessionEntry | ForeignEntry {
    const { index, repair, version } = this.#parts;
    const { at = 0, length } = index.place(nth);
    if (length > longestLine) return this.#hole(nth, undefined);
    const line = bytes.read(at, length);
    const raw = parsedLine(line);
    const wasHole = index.type(nth) === holeType;
    if (raw === undefined || (wasHole && raw.customType !== holeType)) {
      if (!wasHole) repair(nth, 'bad-line', 'it is no JSON object: it is passed over');
      return this.#hole(nth, line);
    }
    if (isTooDeep(raw)) {
      repair(nth, 'bad-line', 'it is nested too deeply: it is passed over');
      return this.#hole(nth, line);
    }
    const current = migrated(raw, version(), (position) => (position > 0 ? index.id(position - 1) : undefined));
    const whole = this.#parts.resolveBlob === undefined || !mayHaveBlobs(line) ? current : this.#resolved(current, nth);
    return entryOf(whole, this.#place(nth), (id) => this.#meant(id));
  }

  #resolved(raw: Readonly<Record<string, unknown>>, nth: number): Readonly<Record<string, unknown>> {
    const { resolveBlob, repair } = this.#parts;
    if (resolveBlob === undefined) return raw;
    const missing = (hash: string): void =>
      repair(nth, 'missing-blob', `the blob ${hash} that it refers to is not there: the reference stays`);
    return withBlobs(raw, resolveBlob, missing) as Readonly<Record<string, unknown>>;
  }

  #hole(nth: number, line: Buffer | undefined): SessionEntry {
    const { index } = this.#parts;
    index.spoil(nth);
    const text = line?.toString('utf8', 0, 64 * 1024);
    return holeOf({ line: index.place(nth).line, ...(text === undefined ? {} : { text }) }, this.#place(nth));
  }

  #place(nth: number): { readonly id: string; readonly parentId: string | null; readonly timestamp: string } {
    const { index } = this.#parts;
    return { id: index.id(nth), parentId: index.parentId(nth), timestamp: index.timestamp(nth) };
  }

  #meant(writtenId: string): string {
    const nth = this.#parts.index.meant(writtenId);
    return nth === undefined ? writtenId : this.#parts.index.id(nth);
  }
}
