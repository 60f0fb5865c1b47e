import { isAscii } from 'node:buffer';
import { closeSync, constants, fstatSync, open as openWithCallback, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { searching } from 'kern/contracts';
import { codeOf } from 'kern/plugin';
import { type FileSearch, searchAcross, searchLines } from './file-search.ts';
import { createGuard } from './guard.ts';
import { createMatcher } from './matcher.ts';
import { type Ended, type Hits, type Query, searchLimitMs } from './query.ts';

const openFile = promisify(openWithCallback);

/** Larger files are read in pieces of this size. */
const pieceBytes = 1024 * 1024;
/** So many files are read at a time. */
const readAtOnce = 16;
/** Files are searched in groups: so many, or so many bytes. The first are small, as a page may soon be full. */
const largestGroup = 256;
const groupBytes = 4 * 1024 * 1024;
/** Across lines a file is searched whole. */
const wholeBytes = 64 * 1024 * 1024;
/** NUL in a piece of this size: what is in it, and what follows, is no text. As ripgrep has it. */
const binaryBytes = 64 * 1024;
/** How long a pattern may take on a group, or on a piece of a large file, before it is left. */
const groupLimitMs = 3_000;
/** After so many files on which it takes too long, it is the pattern. */
const mostSlow = 3;

interface Small {
  readonly path: string;
  readonly bytes: Buffer;
}
/** Whether a file begins with something else than text. */
export async function isBinary(path: string): Promise<boolean> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const start = Buffer.alloc(binaryBytes);
    const { bytesRead } = await file.read(start, 0, start.length, 0);
    const bytes = start.subarray(0, bytesRead);
    return encodingOf(bytes) === 'utf-8' && bytes.includes(0);
  } catch {
    // The search itself will say what is wrong with it.
    return false;
  }
}

type Content = ({ readonly state: 'read' } & Small) | { readonly state: 'large'; readonly path: string };

/** Searches without ripgrep: slower, with what ripgrep would find. */
export async function searchBuiltIn(
  query: Query,
  hits: Hits,
  signal: AbortSignal,
  limitMs = groupLimitMs,
): Promise<Ended> {
  const timer = AbortSignal.timeout(searchLimitMs);
  const search = createSearch(query, hits, AbortSignal.any([signal, timer]), limitMs);
  try {
    await search.run();
  } catch (error) {
    signal.throwIfAborted();
    if (!timer.aborted) throw error;
  }
  return search.ended(timer.aborted);
}

function createSearch(query: Query, hits: Hits, signal: AbortSignal, limitMs: number) {
  const matcher = createMatcher(query.pattern, query.ignoreCase);
  const guard = createGuard(limitMs);
  const slow: string[] = [];
  const large: string[] = [];
  let unreadable = 0;

  const isOver = (): boolean => hits.isDone || slow.length >= mostSlow;
  const searchOf = (path: string): FileSearch => {
    const options = { path, matcher, context: query.context, hits };
    return query.multiline ? searchAcross(options) : searchLines(options);
  };
  const missed = (error: unknown): void => {
    // What went since it was listed is no longer there to be found.
    if (codeOf(error) !== 'ENOENT') unreadable += 1;
  };

  const buffer = Buffer.allocUnsafe(pieceBytes + 1);
  const read = async (path: string): Promise<Content | undefined> => {
    try {
      // Something else may stand there by now: opening a pipe without this waits for its writer.
      const file = await openFile(join(query.root, path), constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const found = fstatSync(file);
        if (!found.isFile()) return undefined;
        // At once: for a small file the ways through the thread pool take four times as long as the reading.
        const size = fill(buffer, file, found.size);
        if (size > pieceBytes) return { state: 'large', path };
        return { state: 'read', path, bytes: Buffer.from(buffer.subarray(0, size)) };
      } finally {
        closeSync(file);
      }
    } catch (error) {
      missed(error);
      return undefined;
    }
  };

  /** Small files, in order, as many as the limit of time lets. */
  const searchSmall = (files: readonly Small[]): void => {
    let at = 0;
    while (at < files.length && !isOver()) {
      const isWhole = guard.run(() => {
        for (; at < files.length && !hits.isDone; at += 1) {
          const file = files[at];
          if (file !== undefined) searchBytes(file.path, file.bytes);
        }
      });
      if (isWhole) continue;
      slow.push(files[at]?.path ?? '');
      at += 1;
    }
  };

  const searchBytes = (path: string, bytes: Buffer): void => {
    const encoding = encodingOf(bytes);
    const end = encoding === 'utf-8' ? textEnd(bytes, 0) : bytes.length;
    if (end === 0) return;
    const text = bytes.subarray(0, end);
    const search = searchOf(path);
    search.push(
      encoding === 'utf-8' && isAscii(text) ? text.toString('latin1') : new TextDecoder(encoding).decode(text),
    );
    search.end();
    if (end < bytes.length && search.hasHits) hits.binary(path);
  };

  /** Piece by piece, whatever the size. */
  const searchLarge = async (path: string): Promise<void> => {
    try {
      await using file = await open(join(query.root, path), constants.O_RDONLY | constants.O_NONBLOCK);
      if (query.multiline && (await file.stat()).size > wholeBytes) {
        large.push(path);
        return;
      }
      const piece = Buffer.allocUnsafe(pieceBytes);
      const search = searchOf(path);
      let decoder: InstanceType<typeof TextDecoder> | undefined;
      let isText = true;
      for (let position = 0; isText && !hits.isDone; ) {
        signal.throwIfAborted();
        const { bytesRead } = await file.read(piece, 0, piece.length, position);
        if (bytesRead === 0) break;
        const bytes = piece.subarray(0, bytesRead);
        decoder ??= new TextDecoder(encodingOf(bytes));
        const end = decoder.encoding === 'utf-8' ? textEnd(bytes, position) : bytesRead;
        isText = end === bytesRead;
        position += bytesRead;
        const text = decoder.decode(bytes.subarray(0, end), { stream: isText });
        if (guard.run(() => search.push(text))) continue;
        slow.push(path);
        return;
      }
      if (!guard.run(() => search.end())) slow.push(path);
      if (!isText && search.hasHits) hits.binary(path);
    } catch (error) {
      if (signal.aborted) throw error;
      missed(error);
    }
  };

  return {
    async run(): Promise<void> {
      let group: Small[] = [];
      let bytes = 0;
      let most = readAtOnce;
      const searchRead = (): void => {
        searchSmall(group);
        group = [];
        bytes = 0;
        most = Math.min(most * 2, largestGroup);
      };
      for await (const paths of filesOf(query, signal, () => missed(undefined))) {
        for (let at = 0; at < paths.length && !isOver(); at += readAtOnce) {
          for (const content of await Promise.all(paths.slice(at, at + readAtOnce).map(read))) {
            if (content === undefined || isOver()) continue;
            if (content.state === 'large') {
              searchRead();
              if (!isOver()) await searchLarge(content.path);
              continue;
            }
            group.push(content);
            bytes += content.bytes.length;
          }
          signal.throwIfAborted();
          if (group.length >= most || bytes >= groupBytes) searchRead();
        }
        if (isOver()) return;
      }
      searchRead();
    },
    ended: (timedOut: boolean): Ended => ({ unreadable, timedOut, slow, large }),
  };
}

/** The files that are to be searched, in order. */
async function* filesOf(
  query: Query,
  signal: AbortSignal,
  onUnreadable: () => void,
): AsyncGenerator<readonly string[]> {
  if (query.file !== undefined) {
    yield [query.file];
    return;
  }
  for (const folder of query.folders) {
    const root = join(query.root, folder);
    const { rules } = await searching.rulesAbove(root);
    const path = ({ path: below }: searching.WalkEntry): string => (folder === '' ? below : `${folder}/${below}`);
    for await (const entries of searching.walk(root, { rules, signal, closed: new Set(['.git']), onUnreadable }))
      yield entries
        .filter(({ kind }) => kind === 'file')
        .map(path)
        .filter(query.accepts);
  }
}

/** Reads a file from its start, as far as there is room. What the system makes up as it is read has a size of 0. */
function fill(buffer: Buffer, file: number, expected: number): number {
  for (let size = 0; ; ) {
    const read = readSync(file, buffer, size, buffer.length - size, size);
    size += read;
    if (read === 0 || size === expected || size === buffer.length) return size;
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** Where what is text ends. `position`: of the bytes in the file. */
function textEnd(bytes: Uint8Array, position: number): number {
  const nul = bytes.indexOf(0);
  if (nul === -1) return bytes.length;
  return Math.max(0, nul - ((position + nul) % binaryBytes));
}
