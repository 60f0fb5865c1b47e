import { isUtf8 } from 'node:buffer';
import { BrokenLines } from './broken-lines.ts';
import { type EntryIndex, holeType } from './entry-index.ts';
import type { Heading } from './header.ts';
import type { BadPart } from './mend.ts';
import { migrated } from './migrate.ts';
import { type LineSource, parsedLine } from './source.ts';
import { wellFormed } from './well-formed.ts';

/** A file that is written anew. */
export interface Rewrite {
  /** With their newlines, some at a time. To be taken once. */
  readonly lines: Iterable<string>;
  done(): void;
}

export interface RewriteParts {
  readonly index: EntryIndex;
  readonly source: LineSource;
  readonly heading: Heading;
  readonly bad: readonly BadPart[];
  /** Text that is not well-formed is mended, and kept beside as it was. */
  readonly isMended: boolean;
}

const pieceLength = 256 * 1024;

type Raw = Readonly<Record<string, unknown>>;

/**
 * A sound file: lines that are right stay as they are, byte for byte; what is broken is kept in entries of its own
 * where it was, never at the end, so that the leaf stays where it is.
 */
export function rewriteOf(parts: RewriteParts): Rewrite {
  const places: { readonly nth: number; readonly at: number; readonly length: number }[] = [];
  return {
    lines: inPieces(linesOf(parts, places)),
    done: () => {
      for (const { nth, at, length } of places) parts.index.settle(nth, at, length);
    },
  };
}

function* linesOf(
  parts: RewriteParts,
  places: { readonly nth: number; readonly at: number; readonly length: number }[],
): Generator<string> {
  const { index, source, heading } = parts;
  let at = 0;
  const counted = (line: string): string => {
    at += Buffer.byteLength(line);
    return line;
  };
  yield counted(headerLine(heading));
  const order = index.inOrder().filter((nth) => index.place(nth).at !== undefined);
  const broken = new BrokenLines(index, source, parts.bad, order);
  for (const nth of order) {
    for (const line of broken.before(nth)) yield counted(line);
    if (index.type(nth) === holeType) {
      for (const line of broken.of(nth)) {
        // The one that has its id is the first.
        if (places.at(-1)?.nth !== nth) places.push({ nth, at, length: Buffer.byteLength(line) - 1 });
        yield counted(line);
      }
      continue;
    }
    const { line, original } = entryLine(nth, parts, source);
    if (original !== undefined) for (const kept of broken.beside(nth, original)) yield counted(kept);
    places.push({ nth, at, length: Buffer.byteLength(line) - 1 });
    yield counted(line);
  }
  for (const line of broken.rest()) yield counted(line);
}

/** A write for each of many thousand lines takes its time. */
function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece: string[] = [];
  let length = 0;
  for (const line of lines) {
    piece.push(line);
    length += line.length;
    if (length < pieceLength) continue;
    yield piece.join('');
    piece = [];
    length = 0;
  }
  if (length > 0) yield piece.join('');
}

function headerLine({ header, title, raw, version: written }: Heading): string {
  const { type, version: current, ...rest } = header;
  // Of a version that nobody here knows nothing is changed but what is broken.
  const version = written <= current ? current : raw?.version;
  return `${JSON.stringify({ type, version, ...rest, ...(title === undefined ? {} : { title }) })}\n`;
}

/** `original`: the bytes of a line whose text had to be mended. */
function entryLine(
  nth: number,
  { index, heading, isMended }: RewriteParts,
  source: LineSource,
): { readonly line: string; readonly original: Buffer | undefined } {
  const { at = 0, length } = index.place(nth);
  const bytes = source.read(at, length);
  // What could not be parsed was found to be a hole before, or is kept as it is: nothing may be lost here.
  const raw: Raw = parsedLine(bytes) ?? {};
  const byPosition = (position: number): string | undefined => (position > 0 ? index.id(position - 1) : undefined);
  const current = referring(migrated(raw, heading.version, byPosition), index);
  const [id, parentId] = [index.id(nth), index.parentId(nth)];
  const { type, id: writtenId, parentId: writtenParent, ...rest } = current;
  const inPlace = writtenId === id && writtenParent === parentId ? current : { type, id, parentId, ...rest };
  const placed = isMended ? keepingItself(inPlace, nth, index) : inPlace;
  const mended = isMended ? wellFormed(placed) : placed;
  const isBroken = isMended && (mended !== placed || !isUtf8(bytes));
  const text = mended === raw && !isBroken ? bytes.toString('utf8').trim() : JSON.stringify(mended);
  return { line: `${text}\n`, original: isBroken ? bytes : undefined };
}

/** Names of other entries, where these have other ids now. */
function referring(raw: Raw, index: EntryIndex): Raw {
  let entry = raw;
  for (const key of ['targetId', 'firstKeptEntryId', 'fromId']) {
    const named = raw[key];
    const meant = typeof named === 'string' ? index.meant(named) : undefined;
    if (meant !== undefined && index.id(meant) !== named) entry = { ...entry, [key]: index.id(meant) };
  }
  return entry;
}

/** A compaction that keeps what is not before it keeps nothing: that is how it was read. */
function keepingItself(raw: Raw, nth: number, index: EntryIndex): Raw {
  if (raw.type !== 'compaction') return raw;
  for (let at = nth; at !== -1; at = index.parent(at)) if (index.id(at) === raw.firstKeptEntryId) return raw;
  return { ...raw, firstKeptEntryId: raw.id };
}
