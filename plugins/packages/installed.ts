import { messageOf } from 'kern/plugin';
import { lockFileOf, lockOf, type PackageLevel, readLock, shelvesOf } from './lock.ts';
import { otherManifests, partKinds, statedParts } from './parts.ts';
import { folderOf, whatIsWrong } from './shelf.ts';
import type { InstalledPackage, PackageParts } from './types.ts';

/** Every package of a place, the person's and the project's. Throws `package_lock` where a lock file cannot be read. */
export async function installedIn(where: {
  readonly home: string;
  readonly root: string;
}): Promise<readonly InstalledPackage[]> {
  const all = shelvesOf(where).flatMap((shelf) =>
    [...readLock(shelf)].map(([name, locked]) => ({ shelf, name, locked })),
  );
  return Promise.all(
    all.map(async ({ shelf, name, locked }): Promise<InstalledPackage> => {
      const wrong = await whatIsWrong(shelf, name, locked, where.home);
      return {
        name,
        level: shelf.level,
        locked,
        lockFile: lockFileOf(shelf),
        folder: folderOf(shelf, name, locked),
        isLinked: locked.content === undefined,
        wrong: wrong && {
          code: wrong.code,
          message: wrong.message,
          ...(wrong.hint === undefined ? {} : { hint: wrong.hint }),
        },
      };
    }),
  );
}

/** The packages of a lock file that somebody has read. */
export function lockedIn(
  content: unknown,
  where: { readonly home: string; readonly root: string; readonly file: string; readonly level: PackageLevel },
): { readonly list: readonly PackageParts[] } | { readonly wrong: string } {
  const shelf = shelvesOf(where).find(({ level }) => level === where.level);
  if (shelf === undefined) return { list: [] };
  try {
    const list = [...lockOf(content, where.file)].map(
      ([name, locked]): PackageParts => ({
        name,
        folder: folderOf(shelf, name, locked),
        kinds: partKinds,
        others: otherManifests,
        stated: statedParts,
        whatIsWrong: () => whatIsWrong(shelf, name, locked, where.home),
      }),
    );
    return { list };
  } catch (error) {
    return { wrong: messageOf(error) };
  }
}
