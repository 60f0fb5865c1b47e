import { randomBytes } from 'node:crypto';
import { constants, lstatSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { chmod, lstat, open, rename, stat, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { codeOf, KernError } from './error.ts';
import { makeFolder } from './folders.ts';

/** Where kern keeps what is the user's: `KERN_HOME`, else `~/.kern`. */
export function kernHome(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const given = env.KERN_HOME;
  return given === undefined || given === '' ? path.join(homedir(), '.kern') : path.resolve(given);
}

/** Makes a private folder, or makes an own one private again. A folder of someone else is refused. */
export async function ensureHome(folder: string): Promise<void> {
  await makeFolder(folder, 0o700).catch((cause: unknown) => {
    // A dangling link or a file is told apart below, where there are words for it.
    if (codeOf(cause) !== 'EEXIST')
      throw homeError(folder, 'cannot be made', 'Set KERN_HOME to a folder you can write.', cause);
  });
  // The link itself may be planted, so its owner counts as well as the owner of what it leads to.
  for (const look of [lstat, stat]) {
    const found = await look(folder).catch((cause: unknown) => {
      throw homeError(folder, 'leads nowhere', 'Remove the link, or set KERN_HOME.', cause);
    });
    if (!isOwn(found)) {
      throw new KernError(
        'home_not_yours',
        `${folder} belongs to another user (uid ${found.uid}): kern keeps keys and trust there, and will not use it.`,
        {
          hint: 'Set KERN_HOME to a folder of your own, or take this one with chown.',
        },
      );
    }
    if (look === stat && !found.isDirectory())
      throw homeError(folder, 'is not a folder', 'Move it away, or set KERN_HOME.');
    if (look === stat && (found.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
  }
}

function homeError(folder: string, what: string, hint: string, cause?: unknown): KernError {
  return new KernError(
    'home_unusable',
    `kern's home ${folder} ${what}.`,
    cause === undefined ? { hint } : { hint, cause },
  );
}

/** Windows has no uid; there the profile folder guards itself. */
function isOwn(found: Stats): boolean {
  const uid = process.getuid?.();
  return uid === undefined || found.uid === uid;
}

/**
 * The text of a private file; `undefined` when it is not there. A link, another owner, anything but a
 * plain file, or one that others may write, is refused: somebody put it there.
 */
export async function readPrivate(file: string): Promise<string | undefined> {
  // O_NONBLOCK: opening a pipe without a writer would wait for ever.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)).catch(
    (cause: unknown) => {
      if (codeOf(cause) === 'ENOENT') return undefined;
      if (codeOf(cause) === 'ELOOP' || codeOf(cause) === 'EMLINK') throw planted(file, 'is a symbolic link');
      throw cause;
    },
  );
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    refusePlanted(file, found);
    if (process.platform !== 'win32' && (found.mode & 0o022) !== 0)
      throw planted(file, 'may be written by other users', `chmod 600 ${file}`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Writes all or nothing, for the owner's eyes only: a temporary file, synced, then renamed over the old one. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined) refusePlanted(file, found);
  await replaceFile(file, text, 0o600);
}

/** The same for a file that may be seen by others: no crash leaves half of it. */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.${randomBytes(8).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', mode);
  try {
    try {
      await handle.writeFile(text);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (cause) {
    await unlink(temporary).catch(() => undefined); // the first failure is the one to tell
    throw cause;
  }
  await syncFolder(path.dirname(file));
}

/** A rename is only on disk when its folder is; not every system lets a folder be opened. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function refusePlanted(file: string, found: Stats): void {
  if (found.isSymbolicLink()) throw planted(file, 'is a symbolic link');
  if (!found.isFile()) throw planted(file, 'is not a plain file');
  if (!isOwn(found)) throw planted(file, `belongs to another user (uid ${found.uid})`);
}

function planted(file: string, what: string, hint = 'Look at it, and move it away.'): KernError {
  return new KernError('planted_file', `${file} ${what}: kern neither reads nor replaces it.`, { hint });
}

const rcFiles = ['.kernrc', '.kernrc.json', '.kernrc.yaml', '.kernrc.yml'];

/**
 * The project that `cwd` lies in: the nearest folder with `.kern/`, `.git`, a `.kernrc` or a `kern` key in
 * its package.json, else `cwd` itself. The search never reaches the user's home folder, which would make one
 * project of everything below it. Nothing is run, and git is not asked.
 */
export function projectRoot(cwd: string, userHome: string = homedir(), home: string = kernHome()): string {
  const start = real(cwd);
  const limit = real(userHome);
  const own = real(home);
  for (let folder = start; folder !== limit; folder = path.dirname(folder)) {
    if (isProject(folder, own)) return folder;
    if (path.dirname(folder) === folder) break;
  }
  return start;
}

function real(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return path.resolve(folder); // not there (any more): its name is all there is
  }
}

function isProject(folder: string, home: string): boolean {
  const kern = path.join(folder, '.kern');
  // The user's own home lies in a folder too, and does not make a project of that.
  if (kindOf(kern)?.isDirectory() && real(kern) !== home) return true;
  if (kindOf(path.join(folder, '.git')) !== undefined) return true;
  if (rcFiles.some((name) => kindOf(path.join(folder, name))?.isFile())) return true;
  return hasKernKey(path.join(folder, 'package.json'));
}

function kindOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined; // no right to look, or a link to itself: as good as absent
  }
}

function hasKernKey(file: string): boolean {
  const found = kindOf(file);
  if (!found?.isFile() || found.size === 0 || found.size > 1_048_576) return false;
  try {
    const text = readFileSync(file, 'utf8');
    if (!text.includes('"kern"')) return false;
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' && content !== null && Object.hasOwn(content, 'kern');
  } catch {
    return false; // unreadable or half-written: it declares nothing now
  }
}
