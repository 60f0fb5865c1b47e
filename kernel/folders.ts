import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './error.ts';

/**
 * Makes a folder and what is missing above it. Not by Node's `recursive`: under a file system that answers ENOENT to
 * every mkdir, such as /proc, that tries again for ever.
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const missing: string[] = [];
  for (let next = folder; !(await isFolder(next)); next = path.dirname(next)) {
    missing.push(next);
    if (path.dirname(next) === next) break;
  }
  for (const next of missing.reverse()) {
    await mkdir(next, mode).catch(async (error: unknown) => {
      // Another process may have been quicker.
      if (codeOf(error) !== 'EEXIST' || !(await isFolder(next))) throw error;
    });
  }
}

/** The same, at once. */
export function makeFolderSync(folder: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let next = folder; !isFolderNow(next); next = path.dirname(next)) {
    missing.push(next);
    if (path.dirname(next) === next) break;
  }
  for (const next of missing.reverse()) {
    try {
      mkdirSync(next, mode);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || !isFolderNow(next)) throw error;
    }
  }
}

function isFolderNow(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

async function isFolder(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
