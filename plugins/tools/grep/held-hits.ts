import { searching } from 'kern/contracts';
import type { Hits, Query } from './query.ts';

/** Hits of files that come in any order, until all of them are there. */
export interface HeldHits extends Hits {
  /** Gives them to `hits` in order of path, as long as it wants any. */
  tell(hits: Hits): void;
}

interface Held {
  readonly path: string;
  readonly lines: Parameters<Hits['line']>[];
  isBinary: boolean;
}

/**
 * As much as this is held. Whoever finds more finds the first page of it soon, also when files are searched in order;
 * to hold and to sort it all would then be the slower way.
 */
const mostCharacters = 64 * 1024;

/** Of files that the query does not accept nothing is held. `preview` hears of lines at once. */
export function createHeldHits({ folders, accepts }: Pick<Query, 'folders' | 'accepts'>, preview: Hits): HeldHits {
  const files = new Map<string, Held | undefined>();
  let characters = 0;
  const fileOf = (path: string): Held | undefined => {
    if (!files.has(path)) files.set(path, accepts(path) ? { path, lines: [], isBinary: false } : undefined);
    return files.get(path);
  };
  return {
    get isDone() {
      return characters > mostCharacters;
    },
    line(...line) {
      const [path, , , text] = line;
      const file = fileOf(path);
      if (file === undefined) return;
      file.lines.push(line);
      characters += path.length + text.length;
      preview.line(...line);
    },
    binary(path) {
      const file = fileOf(path);
      if (file === undefined) return;
      file.isBinary = true;
      characters += path.length;
    },
    tell(hits) {
      for (const { path, lines, isBinary } of inOrder(
        [...files.values()].filter((file) => file !== undefined),
        folders,
      )) {
        for (const line of lines) {
          if (hits.isDone) return;
          hits.line(...line);
        }
        if (hits.isDone) return;
        if (isBinary) hits.binary(path);
      }
    },
  };
}

/** As ripgrep sorts: folder by folder, and in each by the bytes of names, whether they are of folders or of files. */
function inOrder(files: readonly Held[], folders: readonly string[]): readonly Held[] {
  const keyed = files.map((file) => ({
    file,
    folder: folders.findIndex((folder) => folder === '' || file.path.startsWith(`${folder}/`)),
    // No byte of a name is below this one, so that a folder comes before what its name begins.
    key: file.path.replaceAll('/', '\0'),
  }));
  keyed.sort((a, b) => a.folder - b.folder || searching.byCodePoint(a.key, b.key));
  return keyed.map(({ file }) => file);
}
