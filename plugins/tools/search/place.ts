import { constants, type Stats } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { codeOf, messageOf } from 'kern/plugin';
import { resolvePath, whatIsThere } from '../paths.ts';
import type { Deadline } from './deadline.ts';

/** Where a search begins, or why it cannot. */
export type Place =
  | { readonly state: 'folder'; readonly folder: string }
  | { readonly state: 'file'; readonly folder: string; readonly name: string; readonly size: number }
  | { readonly state: 'refused'; readonly why: string };

/** What a path leads to, links followed: only files and folders are looked into, all else might never end. */
export async function placeOf(path: string, cwd: string, deadline: Deadline): Promise<Place> {
  let place: Place | undefined;
  await deadline.ended(found(path, cwd).then((one) => (place = one)));
  return place ?? { state: 'refused', why: `${path} does not answer: its file system may be out of reach.` };
}

async function found(path: string, cwd: string): Promise<Place> {
  const absolute = resolvePath(path, cwd);
  if (absolute.includes('\0'))
    return { state: 'refused', why: `${JSON.stringify(path)} is no path: it has a NUL in it.` };
  try {
    const stats = await stat(absolute);
    await access(absolute, stats.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
    if (stats.isDirectory()) return { state: 'folder', folder: absolute };
    if (stats.isFile()) return { state: 'file', folder: dirname(absolute), name: basename(absolute), size: stats.size };
    return { state: 'refused', why: `${path} is ${specialKind(stats)}, neither a file nor a folder.` };
  } catch (error) {
    return { state: 'refused', why: explained(error, path, absolute) };
  }
}

/** How a path below `folder` is shown: from the working directory on where it is in there, so that it can be read as it is. */
export function shownPaths(folder: string, cwd: string): (path: string) => string {
  const from = relative(cwd, folder);
  const base = from === '..' || from.startsWith('../') || isAbsolute(from) ? folder : from;
  return (path) => oneLine(base === '' ? path : join(base, path));
}

/** A name may hold anything but a slash; a list of names has to stay a list, and harmless to a screen. */
export function oneLine(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, (control) => escapes[control] ?? escaped(control));
}
const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (control: string): string => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`;

function specialKind(stats: Stats): string {
  if (stats.isFIFO()) return 'a pipe (FIFO)';
  return stats.isSocket() ? 'a socket' : 'a device';
}

function explained(error: unknown, path: string, absolute: string): string {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `${path} is not there. ${whatIsThere(absolute)}`;
    case 'EACCES':
    case 'EPERM':
      return `${path} may not be read by this user.`;
    case 'ELOOP':
      return `${path}: its symlinks go in a circle.`;
    case 'ENAMETOOLONG':
      return `${path.slice(0, 200)}… is longer than a path can be.`;
    default:
      return `${path} could not be read: ${messageOf(error)}`;
  }
}
