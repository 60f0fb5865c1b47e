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

  /** Folders that were looked into join `seen`. */
  async function has(folder: string, segments: readonly string[], seen: Set<string>): Promise<boolean> {
    const [first, ...rest] = segments;
    if (first === undefined) return true;
    seen.add(folder);
    const names = await namesIn(folder);
    return names === 'unknown' || (names.has(first.toLowerCase()) && has(join(folder, first), rest, seen));
  }

  async function isThere(path: string, where: Where, seen: Set<string>): Promise<boolean> {
    const [top = '', ...rest] = path.split('/');
    if (top === '~') return has(where.user ?? user, rest, seen);
    if (top === '$KERN_HOME') return has(where.home, rest, seen);
    if (top.startsWith('$')) return (env[top.slice(1)] ?? '') !== '';
    const found = await Promise.all(
      foldersOf(where, where.user ?? user).map((folder) => has(folder, [top, ...rest], seen)),
    );
    return found.includes(true);
  }

  return {
    async look(paths, where) {
      const seen = new Set<string>();
      const found = await Promise.all(paths.map((path) => isThere(path, where, seen)));
      return { isThere: found.includes(true), watch: [...seen].map((folder) => `${folder}${sep}`) };
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
