import { searching } from 'kern/contracts';
import type { Hits, Query } from './query.ts';

/** Hits of files that come in any order, until all of them are there. */
export interface HeldHits extends Hits {
  /** Shown lines of these have bytes that are no UTF-8, or the sign for such a byte. */
  readonly doubtful: readonly string[];
  /** Undefined for a file that the query does not accept. */
  readonly files: ReadonlyMap<string, HeldFile | undefined>;
  /** This file was searched another way: what was found there counts. */
  replace(path: string, found: HeldFile | undefined): void;
  /** Gives all of them, in order of path. */
  tell(hits: Hits): void;
}

export interface HeldFile {
  readonly lines: Parameters<Hits['line']>[];
  isBinary: boolean;
  encoding?: string;
}

export interface HeldLimits {
  readonly characters?: number;
  readonly hits?: number;
}

/**
 * As much as this is held. Whoever finds more finds the first page of it soon, also when files are searched in order;
 * to hold and to sort it all would then be the slower way.
 */
const mostCharacters = 64 * 1024;
/** No more of a line is shown in any case. */
const mostOfLine = 16 * 1024;

/** Of files that the query does not accept nothing is held. `preview` hears of lines at once. */
export function createHeldHits(
  { folders, accepts }: Pick<Query, 'folders' | 'accepts'>,
  preview: Pick<Hits, 'line'>,
  { characters: mostHeld = mostCharacters, hits: mostHits = Number.POSITIVE_INFINITY }: HeldLimits = {},
): HeldHits {
  const files = new Map<string, HeldFile | undefined>();
  const doubtful = new Set<string>();
  let characters = 0;
  let count = 0;
  const fileOf = (path: string): HeldFile | undefined => {
    if (!files.has(path)) files.set(path, accepts(path) ? { lines: [], isBinary: false } : undefined);
    return files.get(path);
  };
  return {
    get isDone() {
      return characters > mostHeld || count > mostHits;
    },
    get doubtful() {
      return [...doubtful];
    },
    line(path, number, isHit, text, isCut) {
      const file = fileOf(path);
      if (file === undefined) return;
      const isLong = text.length > mostOfLine;
      file.lines.push([path, number, isHit, isLong ? text.slice(0, mostOfLine) : text, isLong || isCut]);
      if (text.includes('\ufffd')) doubtful.add(path);
      characters += path.length + Math.min(text.length, mostOfLine);
      if (isHit) count += 1;
      preview.line(path, number, isHit, text, isCut);
    },
    binary(path) {
      const file = fileOf(path);
      if (file === undefined) return;
      file.isBinary = true;
      characters += path.length;
    },
    decoded(path, encoding) {
      const file = fileOf(path);
      if (file !== undefined) file.encoding = encoding;
    },
    files,
    replace(path, found) {
      if (found === undefined) files.delete(path);
      else files.set(path, found);
    },
    tell(hits) {
      for (const path of inOrder([...files.keys()], folders)) {
        if (hits.isDone) return;
        tellFile(path, files.get(path), hits);
      }
    },
  };
}

/** Gives the hits of one file to `hits`, as long as it wants any. */
export function tellFile(path: string, file: HeldFile | undefined, hits: Hits): void {
  if (file === undefined) return;
  for (const line of file.lines) {
    if (hits.isDone) break;
    hits.line(...line);
  }
  if (file.encoding !== undefined) hits.decoded(path, file.encoding);
  if (file.isBinary && !hits.isDone) hits.binary(path);
}

/** As ripgrep sorts: folder by folder, and in each by the bytes of names, whether they are of folders or of files. */
export function inOrder(paths: readonly string[], folders: readonly string[]): readonly string[] {
  const keyed = paths.map((path) => ({ path, key: keyOf(path, folders) }));
  keyed.sort((a, b) => byKey(a.key, b.key));
  return keyed.map(({ path }) => path);
}

/** Whether one path comes before another. */
export function isBefore(path: string, other: string, folders: readonly string[]): boolean {
  return byKey(keyOf(path, folders), keyOf(other, folders)) < 0;
}

interface Key {
  readonly folder: number;
  readonly names: string;
}

const keyOf = (path: string, folders: readonly string[]): Key => ({
  folder: folders.findIndex((folder) => folder === '' || path.startsWith(`${folder}/`)),
  // No byte of a name is below this one, so that a folder comes before what its name begins.
  names: path.replaceAll('/', '\0'),
});

const byKey = (a: Key, b: Key): number => a.folder - b.folder || searching.byCodePoint(a.names, b.names);
