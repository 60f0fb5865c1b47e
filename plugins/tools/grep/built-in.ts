import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { searching } from 'kern/contracts';
import { codeOf } from 'kern/plugin';
import { type FileSearch, searchAcross, searchLines } from './file-search.ts';
import { createFileReader, type FileText, pieceBytes, readFlags } from './file-text.ts';
import { createGuard } from './guard.ts';
import { createMatcher } from './matcher.ts';
import type { Ended, Hits, Query } from './query.ts';

/** So many files are read at a time. */
const readAtOnce = 16;
/** Files are searched in groups: so many, or so much text. The first are small, as a page may soon be full. */
const largestGroup = 256;
const groupSize = 4 * 1024 * 1024;
/** Across lines a file is searched whole. */
const wholeBytes = 64 * 1024 * 1024;
/** How long a pattern may take on a group, or on a piece of a large file, before it is left. */
const usualLimitMs = 3_000;
/** After so many files on which it takes too long, it is the pattern. */
const mostSlow = 3;

interface Small extends FileText {
  readonly path: string;
}

export interface BuiltInOptions {
  /** Only these files, in this order. */
  readonly paths?: readonly string[];
  /** How long the pattern may take on a group, in ms. */
  readonly groupLimitMs?: number;
}

/** Searches without ripgrep: slower, with what ripgrep would find. */
export async function searchBuiltIn(
  query: Query,
  hits: Hits,
  deadline: searching.Deadline,
  options: BuiltInOptions = {},
): Promise<Ended> {
  const search = createSearch(query, hits, deadline.signal, options);
  const hasEnded = await deadline.ended(search.run());
  return search.ended(!hasEnded);
}

function createSearch(
  query: Query,
  hits: Hits,
  signal: AbortSignal,
  { paths: named, groupLimitMs = usualLimitMs }: BuiltInOptions,
) {
  const matcher = createMatcher(query.pattern, query.ignoreCase);
  const guard = createGuard(groupLimitMs);
  const reader = createFileReader(query.encoding);
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

  const read = async (path: string): Promise<Small | { readonly large: string } | undefined> => {
    try {
      const found = await reader.read(join(query.root, path));
      return found === 'large' ? { large: path } : found && { path, ...found };
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
          if (file !== undefined) searchText(file);
        }
      });
      if (isWhole) continue;
      slow.push(files[at]?.path ?? '');
      at += 1;
    }
  };

  const searchText = ({ path, text, guessed, hasRest }: Small): void => {
    if (text === '') return;
    const search = searchOf(path);
    search.push(text);
    search.end();
    tellOf(path, search, guessed, hasRest);
  };
  const tellOf = (path: string, { hasHits }: FileSearch, guessed: string | undefined, hasRest: boolean): void => {
    if (hasHits && guessed !== undefined) hits.decoded(path, guessed);
    if (hasHits && hasRest) hits.binary(path);
  };

  /** Piece by piece, whatever the size. */
  const searchLarge = async (path: string): Promise<void> => {
    try {
      await using file = await open(join(query.root, path), readFlags);
      if (query.multiline && (await file.stat()).size > wholeBytes) {
        large.push(path);
        return;
      }
      const piece = Buffer.allocUnsafe(pieceBytes);
      const search = searchOf(path);
      const decoder = reader.decoder();
      let isWhole = true;
      for (let position = 0; isWhole && !hits.isDone; ) {
        signal.throwIfAborted();
        const { bytesRead } = await file.read(piece, 0, piece.length, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        const { text, isText } = await decoder.decode(piece.subarray(0, bytesRead));
        isWhole = isText;
        if (guard.run(() => search.push(text))) continue;
        slow.push(path);
        return;
      }
      const finish = (): void => {
        search.push(decoder.end());
        search.end();
      };
      if (!guard.run(finish)) slow.push(path);
      tellOf(path, search, decoder.guessed, !isWhole);
    } catch (error) {
      if (signal.aborted) throw error;
      missed(error);
    }
  };

  return {
    async run(): Promise<void> {
      let group: Small[] = [];
      let size = 0;
      let most = readAtOnce;
      const searchRead = (): void => {
        searchSmall(group);
        group = [];
        size = 0;
        most = Math.min(most * 2, largestGroup);
      };
      const found = named === undefined ? filesOf(query, signal, () => missed(undefined)) : [named];
      for await (const paths of found) {
        for (let at = 0; at < paths.length && !isOver(); at += readAtOnce) {
          for (const content of await Promise.all(paths.slice(at, at + readAtOnce).map(read))) {
            if (content === undefined || isOver()) continue;
            if ('large' in content) {
              searchRead();
              if (!isOver()) await searchLarge(content.large);
              continue;
            }
            group.push(content);
            size += content.text.length;
          }
          signal.throwIfAborted();
          if (group.length >= most || size >= groupSize) searchRead();
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
