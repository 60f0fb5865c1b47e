import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';

/** As many links as Linux follows. */
const longestChain = 40;

/**
 * Where a path leads, links followed, also when the file is not there yet: then its nearest ancestor that is counts.
 * A link that leads nowhere is followed too, since writing through it makes its target. Undefined when no one can say.
 */
export function canonical(path: string, links = 0): string | undefined {
  if (path.includes('\0') || links > longestChain) return undefined;
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    // Not there, or not readable: what is above it still tells where it would be.
  }
  const target = linkTarget(absolute);
  if (target !== undefined) return canonical(target, links + 1);
  const parent = dirname(absolute);
  if (parent === absolute) return absolute;
  const above = canonical(parent, links);
  return above === undefined ? undefined : join(above, basename(absolute));
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? resolve(dirname(path), readlinkSync(path)) : undefined;
  } catch {
    return undefined;
  }
}

/** Compared part by part, never by prefix: `/repo-other` is not in `/repo`. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith('../') && !way.startsWith('..\\'));
}

/** With `/` between the parts on every system. */
export const slashed = (path: string): string => path.replaceAll('\\', '/');
