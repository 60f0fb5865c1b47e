import { homedir } from 'node:os';
import { isAbsolute, relative, sep } from 'node:path';
import type { Where } from 'kern/plugin';

/** A file as it is named to the model: from the working directory, for what lies elsewhere from `~`, or in full. */
export function shownPath(path: string, { cwd, root, user = homedir() }: Where): string {
  const from = (folder: string): string | undefined => {
    const way = relative(folder, path);
    return way.startsWith('..') || isAbsolute(way) ? undefined : way.split(sep).join('/');
  };
  const below = from(cwd);
  if (below !== undefined) return below;
  if (from(root) !== undefined) return relative(cwd, path).split(sep).join('/');
  const own = from(user);
  return own === undefined ? path.replaceAll('\\', '/') : `~/${own}`;
}
