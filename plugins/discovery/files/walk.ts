import { dirname, join, relative, sep } from 'node:path';
import type { Where } from 'kern/plugin';
import type { Files } from '../contract.ts';
import type { PlaceOf } from '../places.ts';

/** A folder from which places are named. */
export interface Base {
  readonly folder: string;
  /** Folders above the working directory. */
  readonly depth: number;
}

export interface Walker {
  readonly where: Where;
  /** The person's own folder. It is no project: what lies there is the person's. */
  readonly user: string;
  readonly files: Files;
}

/** The project's folders in which a place may be, the nearest first. */
export async function basesOf(up: PlaceOf<'skill'>['up'], walker: Walker): Promise<readonly Base[]> {
  const { cwd, root } = walker.where;
  const inside = await folders(walker);
  if (up === undefined) return inside.filter(({ folder }) => folder === cwd || folder === root);
  return up === 'beyond' ? [...inside, ...beyond(inside, walker)] : inside;
}

/** From the working directory up to the project's folder. */
async function folders({ where: { cwd, root }, user, files }: Walker): Promise<readonly Base[]> {
  const found: Base[] = [];
  const isInRoot = isBelow(cwd, root);
  let folder = cwd;
  for (let depth = 0; ; depth += 1) {
    if (folder !== user) found.push({ folder, depth });
    const isEnd = isInRoot ? folder === root : (await files.kind(join(folder, '.git'))) !== undefined;
    if (isEnd || folder === user || folder === dirname(folder)) break;
    folder = dirname(folder);
  }
  // A working directory of its own, a worktree say, that lies in no repository: nothing above it belongs to it.
  const isLost = !isInRoot && found.length > 0 && (await files.kind(join(folder, '.git'))) === undefined;
  return isLost ? found.slice(0, 1) : found;
}

/**
 * From the project on to the person's own folder. Only there: what lies above a project in `/tmp` or on a shared drive may
 * be anybody's.
 */
function beyond(inside: readonly Base[], { user }: Walker): readonly Base[] {
  const last = inside.at(-1);
  if (last === undefined || !isBelow(last.folder, user)) return [];
  const found: Base[] = [];
  let depth = last.depth + 1;
  for (let folder = dirname(last.folder); isBelow(folder, user) && folder !== user; folder = dirname(folder)) {
    found.push({ folder, depth });
    depth += 1;
  }
  return found;
}

export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(way));
}
