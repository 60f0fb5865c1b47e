import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Folders above a path that have to be made for it, the deepest first. */
export function missingFolders(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); !existsSync(folder) && dirname(folder) !== folder; folder = dirname(folder))
    folders.push(folder);
  return folders;
}

/** Takes away folders that were made for nothing. What somebody has put something into meanwhile stays. */
export async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      await rmdir(folder);
    } catch {
      // Not made after all, or no longer empty.
    }
  }
}
