import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, KernError, makeFolder, messageOf } from 'kern/plugin';
import { missingFolders, removeFolders } from './made-folders.ts';
import { realPath } from './paths.ts';

/**
 * Puts `bytes` in the place of what is there. A new file takes the place by its name; where that cannot be, or the file
 * has other names, the file itself is written while a copy of the old content lies in `backups`.
 * Mode, owner, symlinks and hard links are kept. Extended attributes and ACLs are kept only by a file that is written
 * in place: Node cannot copy them.
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  backups: () => string,
): Promise<{ readonly state: 'created' | 'replaced'; readonly path: string }> {
  const target = realPath(path);
  try {
    const before = await statOf(target);
    if (before === undefined) {
      await create(target, bytes);
      return { state: 'created', path: target };
    }
    if (!before.isFile())
      throw new KernError('not_a_file', `${path} is ${kindOf(before)}, not a file`, {
        hint: 'Give the path of a file.',
      });
    // Renaming over it would get around a file that is write-protected.
    await checkWritable(target);
    // Other names of the file would keep the old content.
    if (before.nlink > 1 || !(await besideIfPossible(target, bytes, before))) await inPlace(target, bytes, backups());
    return { state: 'replaced', path: target };
  } catch (error) {
    throw explained(error, path);
  }
}

async function create(target: string, bytes: Uint8Array): Promise<void> {
  const folders = missingFolders(target);
  try {
    await makeFolder(dirname(target));
    try {
      await beside(target, bytes, undefined);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // The folder was removed in this very moment: once more, then it is not ours to win.
      await makeFolder(dirname(target));
      await beside(target, bytes, undefined);
    }
  } catch (error) {
    await removeFolders(folders);
    throw error;
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
      await sync(handle);
      // A network drive may take less than it says.
      const { size } = await handle.stat();
      if (size !== bytes.length) throw shortened(target, size, bytes.length);
    } finally {
      await handle.close();
    }
    await rename(made, target);
  } catch (error) {
    await unlink(made).catch(() => undefined); // it may not have come about
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

/** Writes into the file itself; if that fails half-way the old bytes are put back, and their copy stays if that fails too. */
async function inPlace(target: string, bytes: Uint8Array, backups: string): Promise<void> {
  const handle = await open(target, 'r+');
  try {
    const old = await contentOf(handle);
    const backup = await copyOf(old, target, backups);
    try {
      await put(handle, bytes, target);
    } catch (error) {
      try {
        await put(handle, old, target);
      } catch {
        throw new KernError(
          'file_damaged',
          `${target} was written only in part, and its old content could not be put back`,
          {
            cause: error,
            hint: `The old content is in ${backup}.`,
          },
        );
      }
      await unlink(backup).catch(() => undefined); // a copy too many harms nobody
      throw error;
    }
    await unlink(backup).catch(() => undefined); // a copy too many harms nobody
  } finally {
    await handle.close();
  }
}

/** Writes all of it and reads it again. What is cut off at the end is cut last: until then its place on the disk is ours. */
async function put(handle: FileHandle, bytes: Uint8Array, target: string): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
  await handle.truncate(bytes.length);
  await sync(handle);
  const written = await contentOf(handle);
  if (!written.equals(bytes)) throw shortened(target, written.length, bytes.length);
}

async function contentOf(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  const content = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(content, at, size - at, at);
    if (bytesRead === 0) return content.subarray(0, at);
    at += bytesRead;
  }
  return content;
}

async function copyOf(content: Uint8Array, target: string, backups: string): Promise<string> {
  await makeFolder(backups, 0o700);
  const path = join(backups, `${randomBytes(6).toString('hex')}-${basename(target).slice(0, 80)}`);
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await sync(handle);
  } catch (error) {
    await unlink(path).catch(() => undefined); // half a copy is none
    throw error;
  } finally {
    await handle.close();
  }
  return path;
}

/** Some file systems cannot say that it is on disk. */
async function sync(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error;
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

const shortened = (target: string, got: number, wanted: number): KernError =>
  new KernError(
    'file_not_written',
    `${target} was not written: the drive kept ${got} of ${wanted} bytes; what was there is unchanged`,
    {
      hint: 'Check the drive, or write somewhere else.',
    },
  );

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
  EFBIG: ['the file system takes no file of that size; what was there is unchanged'],
  ETXTBSY: ['it is a program that runs', 'End it first.'],
  ENOENT: ['its folder was removed meanwhile; nothing was written', 'Write it again: its folders are made.'],
  ENOTDIR: ['a part of the path is a file, not a folder', 'Check the path.'],
  EEXIST: ['a part of the path is a file, not a folder', 'Check the path.'],
  ENAMETOOLONG: ['the name is too long'],
  ELOOP: ['its symlinks go in a circle'],
};
