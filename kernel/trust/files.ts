import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { codeOf } from '../error.ts';

/** What stands at a path, its last part not followed; `undefined` where nothing does. */
export function statOf(file: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOTDIR') return undefined;
    throw thrown;
  }
}

/** The real path of a folder, also of one that is not there. */
export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    const above = path.dirname(folder);
    return above === folder ? folder : path.join(realFolder(above), path.basename(folder));
  }
}

/** By parts of the path, never by its first letters. */
export function isInside(root: string, file: string): boolean {
  const way = path.relative(root, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}
