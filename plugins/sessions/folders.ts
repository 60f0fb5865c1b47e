import { realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { folderName, sessionsRoot } from './names.ts';

/** The folders in which sessions lie. */
export interface Folders {
  readonly cwd: string;
  /** Those of the working directory. */
  readonly own: string;
  /** Whose folders hold those of all others; undefined where there is one folder for all. */
  readonly root: string | undefined;
}

/** `dir` is the one folder for all, where somebody named it. */
export function foldersFor(home: string, cwd: string, dir: string | undefined): Folders {
  const real = realCwd(cwd);
  if (dir !== undefined) return { cwd: real, own: resolve(real, expanded(dir)), root: undefined };
  const root = sessionsRoot(home);
  return { cwd: real, own: join(root, folderName(real)), root };
}

/** A folder behind a link has the sessions of the folder itself. */
export function realCwd(cwd: string): string {
  try {
    return realpathSync.native(cwd);
  } catch {
    // It is gone, or on another machine.
    return cwd;
  }
}

/** `~` is the folder of the user. */
export const expanded = (path: string): string =>
  path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;

/** The folders of all working directories. */
export async function foldersIn(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => !entry.isFile()).map((entry) => join(root, entry.name));
}
