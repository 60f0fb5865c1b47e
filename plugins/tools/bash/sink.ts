import { closeSync, writeSync } from 'node:fs';
import { type Artifact, createRing, outputLimits, type Ring, truncateTail } from 'kern/contracts';
import { plainText } from './plain-text.ts';

/** The end of an output for the model, and the whole of it in a file once the end is not everything. */
export interface OutputSink {
  push(chunk: Uint8Array): void;
  /** The last lines as they stand now. */
  tail(bytes: number): string;
  /** No more comes. */
  close(): Promise<Output>;
}

export interface Output {
  readonly text: string;
  readonly truncated: boolean;
  readonly totalBytes: number;
  readonly totalLines: number;
  /** The first line that is shown, from 1. */
  readonly shownFrom: number;
  readonly by: 'lines' | 'bytes' | undefined;
  /** The beginning of the one line that is shown is missing. */
  readonly cutLine: boolean;
  /** Where the whole output is. `partly`: the file was full, or the disk. */
  readonly file: { readonly id: string; readonly path: string; readonly partly: boolean } | undefined;
}

/** A command that prints for ever must not fill the disk. */
const fileLimit = 1024 ** 3;

export function createSink(newArtifact: () => Promise<Artifact>): OutputSink {
  // Twice the limit, so that what is within the limit can begin with a whole line.
  const ring = createRing(outputLimits.bytes * 2);
  let totalBytes = 0;
  let lineFeeds = 0;
  let lastByte = 10;
  let file: Spill | undefined;

  return {
    push(chunk) {
      if (chunk.length === 0) return;
      totalBytes += chunk.length;
      // Faster than indexOf where lines are short, and never slow.
      for (let at = 0; at < chunk.length; at += 1) if (chunk[at] === 10) lineFeeds += 1;
      lastByte = chunk.at(-1) ?? 10;
      // Until now all of it is in the ring.
      if (file === undefined && (totalBytes > outputLimits.bytes || lineFeeds > outputLimits.lines))
        file = createSpill(newArtifact, ring.bytes());
      file?.write(chunk);
      ring.push(chunk);
    },
    tail: (bytes) => truncateTail(plainText(ring.text()), { lines: outputLimits.lines, bytes }).text,
    async close() {
      const shown = shownOf(ring);
      const totalLines = lineFeeds + (lastByte === 10 ? 0 : 1);
      return {
        ...shown,
        totalBytes,
        totalLines,
        shownFrom: Math.max(1, totalLines - shown.shownLines + 1),
        file: await file?.close(),
      };
    },
  };
}

function shownOf(ring: Ring): {
  text: string;
  truncated: boolean;
  shownLines: number;
  by: 'lines' | 'bytes' | undefined;
  cutLine: boolean;
} {
  const text = plainText(ring.text());
  if (ring.dropped === 0) return truncateTail(text);
  // The ring begins somewhere in a line, which is shown only if there is no other.
  const firstEnd = text.indexOf('\n');
  const isOneLine = firstEnd === -1 || firstEnd === text.length - 1;
  const shown = truncateTail(isOneLine ? text : text.slice(firstEnd + 1));
  return { ...shown, truncated: true, by: shown.by ?? 'bytes', cutLine: isOneLine || shown.cutLine };
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
      else if (!partly) waiting.push(chunk);
    },
    async close() {
      await opened;
      if (artifact === undefined) return undefined;
      closeSync(artifact.fd);
      return { id: artifact.id, path: artifact.path, partly };
    },
  };
}
