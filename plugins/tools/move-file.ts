import { constants } from 'node:fs';
import { copyFile, lstat, rename, rm, stat, unlink, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, KernError, makeFolder, messageOf } from 'kern/plugin';
import { missingFolders, removeFolders } from './made-folders.ts';

/** Gives a file another name, with its mode and owner. Something of that name is not replaced. */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    if (await isThere(to)) throw new KernError('file_exists', `${to} is there already; ${from} was not renamed`);
    const folders = missingFolders(to);
    try {
      await makeFolder(dirname(to));
      await renameOrCopy(from, to);
    } catch (error) {
      await removeFolders(folders);
      throw error;
    }
  } catch (error) {
    throw error instanceof KernError
      ? error
      : new KernError('file_not_moved', `${from} was not renamed to ${to}: ${messageOf(error)}`, { cause: error });
  }
}

async function renameOrCopy(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    await copyOver(from, to);
  }
}

/** To another volume. The old one goes only when the new one is whole. */
async function copyOver(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    const [before, after] = await Promise.all([stat(from), stat(to)]);
    if (before.size !== after.size) throw new KernError('file_not_moved', `${to} is not all of ${from}`);
    await utimes(to, before.atime, before.mtime);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') await rm(to, { force: true });
    throw error;
  }
  await unlink(from);
}

/** Takes a file away; of a symlink only the link. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    throw new KernError('file_not_removed', `${path} was not deleted: ${messageOf(error)}`, { cause: error });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
