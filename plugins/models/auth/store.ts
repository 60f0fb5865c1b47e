import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { codeOf, KernError, makeFolder, withLock, writePrivate } from 'kern/plugin';
import { type AuthFile, emptyFile, formatFile, parseFile } from './accounts.ts';

/** `auth.json`. Read as it is needed, synchronously and only when it has changed; written whole, under a lock, or not at all. */
export interface AuthStore {
  readonly path: string;
  /** Throws `planted_file` for a file that somebody else put there. */
  read(): AuthFile;
  /** Files that were set aside and lie there still. */
  broken(): readonly string[];
  /** Changes what is there by then. Resolves when it is on disk. */
  change(edit: (file: AuthFile) => AuthFile): Promise<AuthFile>;
  /** Runs while no other process runs under the same name: a renewal, which must not be done twice. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** How long one waits for another process that renews a token: longer than that may take. */
const patienceMs = 45_000;

export function authStore(home: string, warn: (message: string) => void): AuthStore {
  const file = path.join(home, 'auth.json');
  let known: { readonly stamp: string; readonly content: AuthFile } | undefined;
  const read = (): AuthFile => {
    const found = open(file);
    if (found === undefined) {
      known = undefined;
      return emptyFile;
    }
    try {
      const { stamp } = found;
      if (known?.stamp === stamp) return known.content;
      if (found.wasOpen) warn(`${file} could be read by other users; it is for you alone now`);
      const text = readFileSync(found.fd, 'utf8');
      const content = text.trim() === '' ? emptyFile : parseFile(text);
      if (content === undefined) {
        setAside(file, stamp, warn);
        return emptyFile;
      }
      known = { stamp, content };
      return content;
    } finally {
      closeSync(found.fd);
    }
  };
  return {
    path: file,
    read,
    broken: () =>
      readdirSync(home)
        .filter((name) => name.startsWith(`${path.basename(file)}.broken-`))
        .sort(),
    async change(edit) {
      await makeFolder(home, 0o700);
      return withLock(`${file}.lock`, async () => {
        const before = read();
        const after = edit(before);
        if (after !== before) await writePrivate(file, formatFile(after));
        return after;
      });
    },
    alone: (name, work) => withLock(path.join(home, `auth.${encodeURIComponent(name)}.lock`), work, patienceMs),
  };
}

interface Opened {
  readonly fd: number;
  readonly stamp: string;
  readonly wasOpen: boolean;
}

/** Opens it, for the owner's eyes only. What others put there, a link for one, is refused. */
function open(file: string): Opened | undefined {
  let fd: number;
  try {
    // O_NONBLOCK: opening a pipe without a writer would wait for ever.
    fd = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ELOOP' || codeOf(error) === 'EMLINK') throw planted(file, 'is a symbolic link');
    throw error;
  }
  try {
    const found = fstatSync(fd);
    const uid = process.getuid?.();
    if (!found.isFile()) throw planted(file, 'is not a plain file');
    if (uid !== undefined && found.uid !== uid) throw planted(file, `belongs to another user (uid ${found.uid})`);
    const wasOpen = process.platform !== 'win32' && (found.mode & 0o077) !== 0;
    if (wasOpen) fchmodSync(fd, 0o600);
    return { fd, stamp: stampOf(found), wasOpen };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function planted(file: string, what: string): KernError {
  return new KernError('planted_file', `${file} ${what}: kern neither reads nor replaces it.`, {
    hint: 'Look at it, and move it away.',
  });
}

const stampOf = ({ ino, mtimeMs, size }: Stats): string => `${ino} ${mtimeMs} ${size}`;

/** Something else is in it than we wrote. Whoever wants to can look; what another process has put in its place stays. */
function setAside(file: string, stamp: string, warn: (message: string) => void): void {
  const aside = `${file}.broken-${new Date().toISOString().replaceAll(':', '-')}`;
  try {
    if (stampOf(statSync(file)) !== stamp) return;
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return; // another process was quicker
    throw error;
  }
  warn(brokenText(file, path.basename(aside)));
}

/** The same words at the time and afterwards. */
export function brokenText(file: string, aside: string): string {
  return `${file} is not what kern writes there; it is kept as ${aside}. Sign in again: kern auth login`;
}
