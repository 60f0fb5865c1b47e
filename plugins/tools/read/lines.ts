import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { countByte, outputLimits } from 'kern/contracts';
import type { Decode } from './decoder.ts';

export interface LinesWanted {
  /** From 1. */
  readonly offset: number;
  readonly limit: number | undefined;
  readonly bomBytes: number;
  /** As it was when the file was opened. */
  readonly size: number;
  /** To UTF-8, where it is not. */
  readonly decode: Decode | undefined;
  readonly signal: AbortSignal;
}

export interface Page {
  readonly lines: readonly string[];
  /** Known when the file was read to its end. */
  readonly totalLines: number | undefined;
  /** Lines follow. */
  readonly more: boolean;
  readonly by: 'lines' | 'bytes' | undefined;
  /** Shown lines that are no UTF-8. */
  readonly stray: Buffer | undefined;
  /** The one line that is shown is longer than the limit. */
  readonly cutLine: CutLine | undefined;
}

/** Where a line is that is shown in part; all in bytes of what was read, which is UTF-8 where it is decoded. */
export interface CutLine {
  /** Of the line, as far as it was read. */
  readonly bytes: number;
  /** It was read to its end. */
  readonly isAll: boolean;
  /** Where its rest begins: in the line, and behind the byte order mark of the file. */
  readonly restAt: { readonly inLine: number; readonly inFile: number };
}

const chunkBytes = 256 * 1024;
/** The rest of a file is read for its number of lines only as far as this. */
const countBytes = 64 * 1024 * 1024;
const lineFeed = 10;
const carriageReturn = 13;

/**
 * Reads from the start and keeps only what is shown. A line ends with LF, and the CR of a CRLF is not shown; where the
 * start of a file has CRs alone, as on old Macs, they end its lines.
 */
export async function readLines(
  handle: FileHandle,
  { offset, limit, bomBytes, size, decode, signal }: LinesWanted,
): Promise<Page> {
  const page = createPage(offset, limit);
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let position = bomBytes;
  let afterPage = 0;
  let ending: number | undefined;
  let lastByte: number | undefined;
  const feed = (read: Buffer): void => {
    if (read.length === 0) return;
    ending ??= endingOf(read);
    lastByte = read.at(-1);
    if (page.skips(countByte(read, ending), read.length)) return;
    let at = 0;
    for (let end = read.indexOf(ending); end !== -1; end = read.indexOf(ending, at)) {
      page.piece(read.subarray(at, end));
      page.lineEnd();
      at = end + 1;
    }
    page.piece(read.subarray(at));
  };
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) {
      if (decode !== undefined) feed(decode());
      return page.end(lastByte !== undefined && lastByte !== ending);
    }
    position += bytesRead;
    const read = chunk.subarray(0, bytesRead);
    feed(decode === undefined ? read : decode(read));
    if (!page.isFull()) continue;
    afterPage += bytesRead;
    // Where the end is too far to be reached, the way there is spared, unless the length of a line is told.
    const ahead = page.isInCutLine() ? 0 : Math.max(0, size - position);
    if (afterPage + ahead > countBytes) return page.leave();
  }
}

/** Progress bars have CRs too, but they begin with other lines. */
function endingOf(start: Buffer): number {
  if (start.includes(lineFeed)) return lineFeed;
  const first = start.indexOf(carriageReturn);
  // One at the very end may have its LF behind it.
  return first !== -1 && first < start.length - 1 ? carriageReturn : lineFeed;
}

/** Collects lines until a limit is reached, then only counts. */
function createPage(offset: number, limit: number | undefined) {
  const maxLines = Math.min(limit ?? outputLimits.lines, outputLimits.lines);
  const lines: string[] = [];
  let part: Buffer[] = []; // of the line that is being read
  let partBytes = 0;
  let line = 1;
  let position = 0; // as long as nothing is full
  let shownBytes = 0;
  let full = false;
  const stray: Buffer[] = [];
  let by: Page['by'];
  let cutLine: { -readonly [K in keyof CutLine]: CutLine[K] } | undefined;

  const stop = (reached: Page['by']): void => {
    full = true;
    by = reached;
    part = [];
  };
  /** The first line alone is over the limit. */
  const cut = (bytes: Buffer, isAll: boolean): void => {
    const { text, taken } = beginningOf(bytes, outputLimits.bytes);
    lines.push(text);
    const restAt = { inLine: taken, inFile: position - partBytes + taken };
    cutLine = { bytes: partBytes, isAll, restAt };
    stop('bytes');
  };
  const cutBytes = (bytes: Buffer): void => {
    // Its end may be in the middle of a character.
    if (
      !isUtf8(bytes.subarray(0, -4)) &&
      !isUtf8(bytes.subarray(0, -3)) &&
      !isUtf8(bytes.subarray(0, -2)) &&
      !isUtf8(bytes.subarray(0, -1))
    )
      stray.push(bytes);
    cut(bytes, false);
  };
  const isInCutLine = (): boolean => cutLine !== undefined && line === offset;
  const page = (totalLines: number | undefined): Page => {
    const more = lines.length > 0 && (totalLines === undefined || offset + lines.length - 1 < totalLines);
    return { lines, totalLines, more, by, stray: stray.length === 0 ? undefined : Buffer.concat(stray), cutLine };
  };

  return {
    isFull: () => full,
    isInCutLine,
    /** Passes over a piece with so many line ends, where that changes nothing but the number of the line. */
    skips(ends: number, bytes: number): boolean {
      const isBefore = line + ends < offset;
      if (!isBefore && (!full || isInCutLine())) return false;
      line += ends;
      position += bytes;
      return true;
    },
    piece(bytes: Buffer): void {
      partBytes += bytes.length;
      position += bytes.length;
      if (isInCutLine() && cutLine !== undefined) cutLine.bytes = partBytes;
      if (full || line < offset || bytes.length === 0) return;
      part.push(Buffer.from(bytes));
      // The CR before the end is not shown, and so not counted.
      if (partBytes - 1 <= outputLimits.bytes) return;
      if (lines.length > 0) stop('bytes');
      else cutBytes(Buffer.concat(part));
    },
    lineEnd(): void {
      if (isInCutLine() && cutLine !== undefined) cutLine.isAll = true;
      if (!full && line >= offset) {
        const bytes = withoutReturn(Buffer.concat(part));
        const text = bytes.toString('utf8');
        if (!isUtf8(bytes)) stray.push(bytes);
        const cost = Buffer.byteLength(text) + (lines.length > 0 ? 1 : 0);
        if (shownBytes + cost <= outputLimits.bytes) {
          lines.push(text);
          shownBytes += cost;
          if (lines.length === maxLines) stop('lines');
        } else if (lines.length > 0) {
          stop('bytes');
        } else {
          // What is no UTF-8 is shown by longer characters.
          cut(bytes, true);
        }
      }
      line += 1;
      position += 1;
      part = [];
      partBytes = 0;
    },
    /** The file is at its end; `hasRest`: in the middle of a line. */
    end(hasRest: boolean): Page {
      if (hasRest) this.lineEnd();
      return page(line - 1);
    },
    /** The file goes on, and is not read any further. */
    leave: (): Page => page(undefined),
  };
}

/**
 * The first bytes that are at most so many when they are shown: what is no UTF-8 is shown by longer characters. Not in
 * the middle of a character.
 */
function beginningOf(bytes: Buffer, limit: number): { readonly text: string; readonly taken: number } {
  for (let taken = characterStart(bytes, limit); ; ) {
    const text = bytes.toString('utf8', 0, taken);
    const shown = Buffer.byteLength(text);
    if (shown <= limit) return { text, taken };
    taken = characterStart(bytes, Math.floor((taken * limit) / shown));
  }
}

function characterStart(bytes: Buffer, at: number): number {
  for (let back = 0; back < 4; back += 1) if (((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back;
  return at;
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === 13 ? line.subarray(0, -1) : line;
}
