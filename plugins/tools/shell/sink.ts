import { closeSync, writeSync } from 'node:fs';
import type { Artifact } from '../artifact.ts';
import { countByte } from '../text/count-byte.ts';
import { cutToBytes, outputLimits, truncateHead, truncateTail } from '../truncate.ts';
import { plainText } from './plain-text.ts';
import { createRing, type Ring } from './ring.ts';

/** The end of an output for the model, or its beginning, and the whole of it in a file once that is not everything. */
export interface OutputSink {
  push(chunk: Uint8Array): void;
  readonly totalBytes: number;
  /** As many lines as `head` asks for are there. */
  readonly hasHead: boolean;
  /** The last lines as they stand now. */
  tail(bytes: number): string;
  /** No more comes. */
  close(): Promise<Output>;
}

/** How many lines of the beginning, of the end, or of both are wanted. Without either: the end, as long as it may be. */
export interface Wanted {
  readonly head?: number | undefined;
  readonly tail?: number | undefined;
}

export interface Output {
  readonly text: string;
  readonly truncated: boolean;
  readonly totalBytes: number;
  readonly totalLines: number;
  /** The first and last line that are shown, from 1. */
  readonly shownFrom: number;
  readonly shownTo: number;
  /** Lines in the middle that are not shown. */
  readonly leftOut: { readonly from: number; readonly to: number } | undefined;
  readonly by: 'lines' | 'bytes' | undefined;
  /** Of the one line that is shown a part is missing. */
  readonly cutLine: boolean;
  /** Where the whole output is. `partly`: the file was full, or the disk. */
  readonly file: { readonly id: string; readonly path: string; readonly partly: boolean } | undefined;
}

/** A command that prints for ever must not fill the disk. */
const fileLimit = 1024 ** 3;

type Shown = Pick<Output, 'text' | 'truncated' | 'shownFrom' | 'shownTo' | 'leftOut' | 'by' | 'cutLine'>;

export function createSink(newArtifact: () => Promise<Artifact>, wanted: Wanted = {}): OutputSink {
  // Twice the limit, so that what is within the limit can begin with a whole line.
  const ring = createRing(outputLimits.bytes * 2);
  const begin = wanted.head === undefined ? undefined : createBeginning(wanted.head);
  let totalBytes = 0;
  let lineFeeds = 0;
  let lastByte = 10;
  let file: Spill | undefined;

  return {
    push(chunk) {
      if (chunk.length === 0) return;
      totalBytes += chunk.length;
      lineFeeds += countByte(chunk, 10);
      lastByte = chunk.at(-1) ?? 10;
      begin?.push(chunk);
      // Until now all of it is in the ring.
      if (file === undefined && (totalBytes > outputLimits.bytes || lineFeeds > outputLimits.lines))
        file = createSpill(newArtifact, ring.bytes());
      file?.write(chunk);
      ring.push(chunk);
    },
    get totalBytes() {
      return totalBytes;
    },
    get hasHead() {
      return begin !== undefined && lineFeeds >= (wanted.head ?? 0);
    },
    tail: (bytes) => truncateTail(plainText(ring.text()), { lines: outputLimits.lines, bytes }).text,
    async close() {
      const totalLines = lineFeeds + (lastByte === 10 ? 0 : 1);
      const shown = shownOf(ring, begin, wanted, totalLines);
      if (shown.truncated) file ??= createSpill(newArtifact, ring.bytes());
      return { ...shown, totalBytes, totalLines, file: await file?.close() };
    },
  };
}

function shownOf(ring: Ring, begin: Beginning | undefined, { head, tail }: Wanted, totalLines: number): Shown {
  const lines = (head ?? 0) + (tail ?? 0);
  if (begin === undefined || head === undefined) return endOf(ring, tail, totalLines);
  if (ring.dropped === 0 && totalLines <= lines) return endOf(ring, undefined, totalLines);
  const first = beginOf(begin, totalLines);
  if (tail === undefined || !first.truncated) return first;
  const last = endOf(ring, Math.min(tail, totalLines - first.shownTo), totalLines);
  const leftOut = { from: first.shownTo + 1, to: last.shownFrom - 1 };
  // Lines of an enormous size: the two may have nothing between them that is left out as a whole.
  const between = leftOut.to < leftOut.from ? '[…]' : `[… ${leftOut.to - leftOut.from + 1} lines …]`;
  return {
    ...last,
    text: `${first.text.trimEnd()}\n${between}\n${last.text}`,
    truncated: true,
    shownFrom: 1,
    leftOut: leftOut.to < leftOut.from ? undefined : leftOut,
    cutLine: false,
  };
}

function beginOf(begin: Beginning, totalLines: number): Shown {
  const { text, truncated, by, cutLine, shownLines } = truncateHead(plainText(begin.text()));
  const isAll = !truncated && !begin.cut && shownLines >= totalLines;
  const cut = cutLine || (begin.cut && shownLines <= 1);
  return { text, truncated: !isAll, shownFrom: 1, shownTo: shownLines, leftOut: undefined, by, cutLine: cut };
}

function endOf(ring: Ring, lines: number | undefined, totalLines: number): Shown {
  const limits = { ...outputLimits, lines: Math.min(lines ?? outputLimits.lines, outputLimits.lines) };
  const text = plainText(ring.text());
  // The ring begins somewhere in a line, which is shown only if there is no other.
  const firstEnd = text.indexOf('\n');
  const isOneLine = firstEnd === -1 || firstEnd === text.length - 1;
  const isCut = ring.dropped > 0;
  const shown = truncateTail(isCut && !isOneLine ? text.slice(firstEnd + 1) : text, limits);
  return {
    text: shown.text,
    truncated: isCut || shown.truncated,
    shownFrom: Math.max(1, totalLines - shown.shownLines + 1),
    shownTo: totalLines,
    leftOut: undefined,
    by: shown.by ?? (isCut ? 'bytes' : undefined),
    cutLine: (isCut && isOneLine) || shown.cutLine,
  };
}

interface Beginning {
  push(chunk: Uint8Array): void;
  text(): string;
  /** Its last line is not whole. */
  readonly cut: boolean;
}

/** The first lines of an output, up to the limit of bytes. */
function createBeginning(lines: number): Beginning {
  const wanted = Math.min(lines, outputLimits.lines);
  // What a character may have over the limit is cut off in the end.
  const most = outputLimits.bytes + 4;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let count = 0;
  let cut = false;
  return {
    push(chunk) {
      if (count >= wanted || cut) return;
      let end = 0;
      while (end < chunk.length && count < wanted) {
        if (chunk[end] === 10) count += 1;
        end += 1;
      }
      const room = Math.min(end, most - bytes);
      cut = room < end;
      // A copy: who hands out the chunk may use its memory again.
      parts.push(Uint8Array.from(chunk.subarray(0, room)));
      bytes += room;
    },
    get cut() {
      return cut;
    },
    text: () => cutToBytes(new TextDecoder().decode(Buffer.concat(parts)), outputLimits.bytes),
  };
}

interface Spill {
  write(chunk: Uint8Array): void;
  close(): Promise<Output['file']>;
}

/** Writes to a file that is being made; what comes before it is there waits in memory. */
function createSpill(newArtifact: () => Promise<Artifact>, before: Uint8Array): Spill {
  let artifact: Artifact | undefined;
  let waiting: Uint8Array[] = [before];
  let written = 0;
  let partly = false;
  const put = (chunk: Uint8Array): void => {
    if (artifact === undefined || partly) return;
    const part = chunk.subarray(0, fileLimit - written);
    partly = part.length < chunk.length;
    try {
      // At once: a fast command then waits for a slow disk, instead of filling the memory.
      for (let at = 0; at < part.length; ) at += writeSync(artifact.fd, part, at);
      written += part.length;
    } catch {
      // A full disk. The command goes on; that the file is not whole is told.
      partly = true;
    }
  };
  const opened = newArtifact().then(
    (made) => {
      artifact = made;
      for (const chunk of waiting) put(chunk);
      waiting = [];
    },
    () => {
      // Without a file the end of the output is still there, and the result says that the rest is not.
      partly = true;
      waiting = [];
    },
  );
  return {
    write(chunk) {
      if (artifact !== undefined) put(chunk);
      else if (!partly) waiting.push(Uint8Array.from(chunk));
    },
    async close() {
      await opened;
      if (artifact === undefined) return undefined;
      closeSync(artifact.fd);
      return { id: artifact.id, path: artifact.path, partly };
    },
  };
}
