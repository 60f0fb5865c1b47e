import { readdir, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Where } from '../capability.ts';
import type { PresencePort } from '../options.ts';

/** How folders are read. */
export interface FolderPort {
  stat(folder: string): Promise<{ readonly mtimeMs: number; readonly ctimeMs: number; readonly ino: number }>;
  names(folder: string): Promise<readonly string[]>;
}

export interface PresenceOptions {
  /** The person's own folder, `~`. */
  readonly user: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a folder may take to answer, in ms; after that everything is taken to be there. Default 500. */
  readonly limitMs?: number;
  /** Default: those of the system. */
  readonly port?: FolderPort;
}

/** The names in a folder, in lower case; `unknown` where it cannot be told, so that nothing is taken to be missing. */
type Names = ReadonlySet<string> | 'unknown';

interface Listing {
  /** What tells the folder from the one it was before. */
  readonly mark: string;
  readonly names: ReadonlySet<string>;
}

const systemPort: FolderPort = { stat: (folder) => stat(folder), names: (folder) => readdir(folder) };
const none: ReadonlySet<string> = new Set();
/** A folder that was changed a moment ago may change again within the same tick of its clock. */
const freshMs = 100;

/**
 * Looks whether files are there, for plugins that have nothing to say otherwise. It looks when it is asked and reads a
 * folder anew only when the folder says that it changed.
 */
export function createPresence({ user, env, limitMs = 500, port = systemPort }: PresenceOptions): PresencePort {
  const listings = new Map<string, Listing>();
  /** Questions of one breath are answered by one look. */
  const looking = new Map<string, Promise<Names>>();

  function namesIn(folder: string): Promise<Names> {
    let look = looking.get(folder);
    if (look === undefined) {
      look = inTime(list(folder), limitMs).finally(() => looking.delete(folder));
      looking.set(folder, look);
    }
    return look;
  }

  async function list(folder: string): Promise<Names> {
    try {
      const { mtimeMs, ctimeMs, ino } = await port.stat(folder);
      const mark = `${mtimeMs} ${ctimeMs} ${ino}`;
      const known = listings.get(folder);
      if (known?.mark === mark) return known.names;
      const names = new Set((await port.names(folder)).map((name) => name.toLowerCase()));
      if (Date.now() - Math.max(mtimeMs, ctimeMs) > freshMs) listings.set(folder, { mark, names });
      else listings.delete(folder);
      return names;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' || code === 'ENOTDIR' ? none : 'unknown';
    }
  }

  /** Whether a path lies below a folder whose names are known. What was looked into joins `seen`. */
  async function lies(
    folder: string,
    names: Names,
    [first = '', ...rest]: readonly string[],
    seen: Set<string>,
  ): Promise<boolean> {
    if (names === 'unknown') return true;
    if (!names.has(first.toLowerCase())) return false;
    if (rest.length === 0) return true;
    const below = join(folder, first);
    seen.add(below);
    return lies(below, await namesIn(below), rest, seen);
  }

  return {
    async look(paths, where) {
      const personal = where.user ?? user;
      const own = foldersOf(where, personal);
      const seen = new Set<string>();
      const wanted: { readonly folder: string; readonly segments: readonly string[] }[] = [];
      for (const path of paths) {
        const [top = '', ...rest] = path.split('/');
        if (top === '~') wanted.push({ folder: personal, segments: rest });
        else if (top === '$KERN_HOME') wanted.push({ folder: where.home, segments: rest });
        else if (top.startsWith('$')) {
          if ((env[top.slice(1)] ?? '') !== '') return { isThere: true, watch: [] };
        } else for (const folder of own) wanted.push({ folder, segments: [top, ...rest] });
      }
      for (const { folder } of wanted) seen.add(folder);
      const names = new Map<string, Names>();
      // Each folder once, before the paths: most of them are told by the names in a handful of folders.
      await Promise.all([...seen].map(async (folder) => names.set(folder, await namesIn(folder))));
      const found = wanted.flatMap(({ folder, segments }) => {
        const known = names.get(folder) ?? none;
        const may = known === 'unknown' || known.has(segments[0]?.toLowerCase() ?? '');
        return may ? [lies(folder, known, segments, seen)] : [];
      });
      const isThere = (await Promise.all(found)).includes(true);
      return { isThere, watch: [...seen].map((folder) => `${folder}${sep}`) };
    },
  };
}

/** The working directory and those above it, up to the project's or on to the person's own: above that it may be anybody's. */
function foldersOf({ cwd, root }: Where, user: string): readonly string[] {
  const top = [user, root].find((folder) => cwd === folder || cwd.startsWith(folder + sep));
  const found = [cwd];
  for (let folder = cwd; folder !== top && folder !== dirname(folder); ) {
    folder = dirname(folder);
    found.push(folder);
  }
  return found;
}

async function inTime(names: Promise<Names>, ms: number): Promise<Names> {
  const { promise: late, resolve } = Promise.withResolvers<Names>();
  const timer = setTimeout(resolve, ms, 'unknown');
  try {
    return await Promise.race([names, late]);
  } finally {
    clearTimeout(timer);
  }
}
