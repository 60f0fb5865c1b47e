import type { FileHandle } from 'node:fs/promises';
import { cutToBytes, outputLimits } from 'kern/contracts';

export interface LinesWanted {
  /** From 1. */
  readonly offset: number;
  readonly limit: number | undefined;
  readonly bomBytes: number;
  readonly signal: AbortSignal;
}

export interface Page {
  readonly lines: readonly string[];
  /** Known when the file was read to its end. */
  readonly totalLines: number | undefined;
  /** Lines follow. */
  readonly more: boolean;
  readonly by: 'lines' | 'bytes' | undefined;
  /** The one line that is shown is longer than the limit. */
  readonly cutLine: { readonly shown: number; readonly bytes: number; readonly isAll: boolean } | undefined;
}

const chunkBytes = 256 * 1024;
/** The rest of a file is read for its number of lines only as far as this. */
const countBytes = 64 * 1024 * 1024;
const lineFeed = 10;

/** Reads from the start and keeps only what is shown. A line ends with LF; the CR of a CRLF is not shown. */
export async function readLines(handle: FileHandle, { offset, limit, bomBytes, signal }: LinesWanted): Promise<Page> {
  const page = createPage(offset, limit);
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let position = bomBytes;
  let afterPage = 0;
  let lastByte = lineFeed;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return page.end(lastByte !== lineFeed);
    position += bytesRead;
    lastByte = chunk[bytesRead - 1] ?? lineFeed;
    const read = chunk.subarray(0, bytesRead);
    let at = 0;
    for (let end = read.indexOf(lineFeed); end !== -1; end = read.indexOf(lineFeed, at)) {
      page.piece(read.subarray(at, end));
      page.lineEnd();
      at = end + 1;
    }
    page.piece(read.subarray(at));
    if (page.isFull()) afterPage += bytesRead;
    if (afterPage > countBytes) return page.leave();
  }
}

/** Collects lines until a limit is reached, then only counts. */
function createPage(offset: number, limit: number | undefined) {
  const maxLines = Math.min(limit ?? outputLimits.lines, outputLimits.lines);
  const lines: string[] = [];
  let part: Buffer[] = []; // of the line that is being read
  let partBytes = 0;
  let line = 1;
  let shownBytes = 0;
  let full = false;
  let by: Page['by'];
  let cutLine: { shown: number; bytes: number; isAll: boolean } | undefined;

  const stop = (reached: Page['by']): void => {
    full = true;
    by = reached;
    part = [];
  };
  /** The first line alone is over the limit. */
  const cut = (text: string, isAll: boolean): void => {
    const shown = cutToBytes(text, outputLimits.bytes);
    lines.push(shown);
    cutLine = { shown: Buffer.byteLength(shown), bytes: partBytes, isAll };
    stop('bytes');
  };
  const isInCutLine = (): boolean => cutLine !== undefined && line === offset;
  const page = (totalLines: number | undefined): Page => {
    const more = lines.length > 0 && (totalLines === undefined || offset + lines.length - 1 < totalLines);
    return { lines, totalLines, more, by, cutLine };
  };

  return {
    isFull: () => full,
    piece(bytes: Buffer): void {
      partBytes += bytes.length;
      if (isInCutLine() && cutLine !== undefined) cutLine.bytes = partBytes;
      if (full || line < offset || bytes.length === 0) return;
      part.push(Buffer.from(bytes));
      // The CR before the end is not shown, and so not counted.
      if (partBytes - 1 <= outputLimits.bytes) return;
      if (lines.length > 0) stop('bytes');
      else cut(Buffer.concat(part).toString('utf8'), false);
    },
    lineEnd(): void {
      if (isInCutLine() && cutLine !== undefined) cutLine.isAll = true;
      if (!full && line >= offset) {
        const text = withoutReturn(Buffer.concat(part)).toString('utf8');
        const cost = Buffer.byteLength(text) + (lines.length > 0 ? 1 : 0);
        if (shownBytes + cost <= outputLimits.bytes) {
          lines.push(text);
          shownBytes += cost;
          if (lines.length === maxLines) stop('lines');
        } else if (lines.length > 0) {
          stop('bytes');
        } else {
          // What is no UTF-8 is shown by longer characters.
          cut(text, true);
        }
      }
      line += 1;
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

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === 13 ? line.subarray(0, -1) : line;
}
