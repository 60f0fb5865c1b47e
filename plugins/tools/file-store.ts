import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, KernError, messageOf } from 'kern/plugin';
import type { FileStore } from './contract.ts';
import { realPath } from './paths.ts';

/** The files of this machine. The order of changes holds for everyone who shares the store. */
export function createFileStore(): FileStore {
  const queues = new Map<string, Promise<unknown>>();
  return {
    async inOrder(path, change) {
      const key = realPath(path);
      const earlier = queues.get(key) ?? Promise.resolve();
      const own = earlier.then(change, change);
      const settled = own.catch(() => undefined);
      queues.set(key, settled);
      try {
        return await own;
      } finally {
        if (queues.get(key) === settled) queues.delete(key);
      }
    },
    replace,
  };
}

async function replace(
  path: string,
  bytes: Uint8Array,
): Promise<{ readonly state: 'created' | 'replaced'; readonly path: string }> {
  const target = realPath(path);
  try {
    const before = await statOf(target);
    if (before === undefined) {
      await mkdir(dirname(target), { recursive: true });
      await beside(target, bytes, undefined);
      return { state: 'created', path: target };
    }
    if (!before.isFile())
      throw new KernError('not_a_file', `${path} is ${kindOf(before)}, not a file`, {
        hint: 'Give the path of a file.',
      });
    // Renaming over it would get around a file that is write-protected.
    await checkWritable(target);
    // Other names of the file would keep the old content.
    if (before.nlink > 1 || !(await besideIfPossible(target, bytes, before))) await inPlace(target, bytes);
    return { state: 'replaced', path: target };
  } catch (error) {
    throw explained(error, path);
  }
}

/** Opens it as if to write: what the system allows this process is known to the system alone. */
async function checkWritable(target: string): Promise<void> {
  try {
    await (await open(target, 'r+')).close();
  } catch (error) {
    // A program that runs takes no writing; a new file in its place is fine.
    if (codeOf(error) !== 'ETXTBSY') throw error;
  }
}

/** A new file, made in the same folder, takes the place: nobody ever sees half of it. */
async function beside(target: string, bytes: Uint8Array, before: Stats | undefined): Promise<void> {
  const folder = dirname(target);
  const made = join(folder, `.${basename(target).slice(0, 80)}.${randomBytes(4).toString('hex')}.kern-tmp`);
  // The mode of a new file is for the umask to decide; a copy of an old one is closed until it has the old one's.
  const handle = await open(made, 'wx', before === undefined ? 0o666 : 0o600);
  try {
    try {
      if (before !== undefined) await likeBefore(handle, before);
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(made, target);
  } catch (error) {
    await unlink(made).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

async function likeBefore(handle: FileHandle, before: Stats): Promise<void> {
  const made = await handle.stat();
  if (made.uid !== before.uid || made.gid !== before.gid) await handle.chown(before.uid, before.gid);
  await handle.chmod(before.mode & 0o7777);
}

/** Where the folder takes no new file, the owner cannot be kept, or something is mounted on the file, there is the other way. */
async function besideIfPossible(target: string, bytes: Uint8Array, before: Stats): Promise<boolean> {
  try {
    await beside(target, bytes, before);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'EROFS', 'ENAMETOOLONG'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

/** Writes into the file itself, and puts the old bytes back if that fails half-way. */
async function inPlace(target: string, bytes: Uint8Array): Promise<void> {
  const old = await readFile(target);
  const handle = await open(target, 'r+');
  const put = async (content: Uint8Array): Promise<void> => {
    let at = 0;
    while (at < content.length) at += (await handle.write(content, at, content.length - at, at)).bytesWritten;
    await handle.truncate(content.length);
    await handle.sync();
  };
  try {
    await put(bytes);
  } catch (error) {
    await put(old).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

/** The new name is on disk only with its folder. Not every file system lets a folder be synced. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // The content is on disk; after a power cut the old name may stand.
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** What something that is no plain file is. */
function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

function explained(error: unknown, path: string): KernError {
  if (error instanceof KernError) return error;
  const known = reasons[codeOf(error) ?? ''];
  return new KernError('file_not_written', `${path} was not written: ${known?.[0] ?? messageOf(error)}`, {
    cause: error,
    ...(known?.[1] === undefined ? {} : { hint: known[1] }),
  });
}

const reasons: Readonly<Record<string, readonly [string, string?]>> = {
  EACCES: ['it may not be changed by this user', 'Ask the person, or write somewhere else.'],
  EPERM: ['the system does not permit it', 'Ask the person, or write somewhere else.'],
  EROFS: ['the file system is read-only', 'Write somewhere else.'],
  ENOSPC: ['the disk is full; what was there is unchanged', 'Free some space first.'],
  EDQUOT: ['the quota is used up; what was there is unchanged', 'Free some space first.'],
  ENOTDIR: ['a part of the path is a file, not a folder', 'Check the path.'],
  EEXIST: ['a part of the path is a file, not a folder', 'Check the path.'],
  ENAMETOOLONG: ['the name is too long'],
  ELOOP: ['its symlinks go in a circle'],
};
