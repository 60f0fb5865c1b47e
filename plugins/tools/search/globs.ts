import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { globError, globSource } from './glob-syntax.ts';
import { markedAt } from './marked.ts';

/** Says of a path below the searched folder, with `/` between its parts, whether it fits. */
export type PathTest = (path: string) => boolean;

export interface GlobOptions {
  readonly ignoreCase?: boolean;
}

/** A longer one is no glob that somebody wrote. */
const longest = 1_000;

/** What is wrong with a glob, in words for whoever gave it, up to the last full stop. */
export function whyNoGlob(glob: string): string | undefined {
  const shown = glob.length > 60 ? `${glob.slice(0, 60)}…` : glob;
  if (glob.trim() === '') return 'a glob is empty';
  if (glob.includes('\0')) return `the glob ${JSON.stringify(shown)} has a NUL in it`;
  if (glob.length > longest) return `the glob ${shown} is longer than ${longest} characters`;
  if (glob.split('/').includes('..'))
    return `the glob ${shown} leads out of the searched folder: give that folder as the path`;
  const error = globError(glob);
  if (error === undefined) return undefined;
  return `in the glob ${error.why}:\n${markedAt(glob, error.at)}\n${error.instead}`;
}

/**
 * A glob as it stands in the searched folder: the whole path of that folder in front is left out, and a name that is
 * there just so, like `[id]`, means itself. `refused`: it is about somewhere else.
 */
export function globBelow(
  glob: string,
  ...folders: readonly string[]
): { readonly glob: string } | { readonly refused: string } {
  const isAbove = (folder: string): boolean => folder !== '/' && glob.startsWith(`${folder}/`);
  const folder = folders.find(isAbove);
  if (folder !== undefined) return { glob: asItStands(glob.slice(folder.length), folder) };
  if (isElsewhere(glob, folders))
    return { refused: `the glob ${glob} is about another folder: give that folder as the path, and a glob below it` };
  return { glob: asItStands(glob, folders[0] ?? '/') };
}

/** A slash in front means the searched folder, unless the path is there from the root of the system on and not in it. */
function isElsewhere(glob: string, folders: readonly string[]): boolean {
  const home = /^~(?:$|[^/]*(?=\/))/.exec(glob)?.[0];
  if (home !== undefined) return !folders.some((folder) => isThere(join(folder, home)));
  const first = /^\/+([^/*?[{\\]+)\//.exec(glob)?.[1];
  if (first === undefined || folders.includes('/')) return false;
  return isThere(join('/', first)) && !folders.some((folder) => isThere(join(folder, first)));
}

/** In front, part by part as far as they are there. */
function asItStands(glob: string, folder: string): string {
  const parts = glob.split('/');
  let place = folder;
  for (const [at, part] of parts.entries()) {
    place = join(place, part);
    if (part === '..' || !isThere(place)) break;
    if (/[[\](){}!|]/.test(part)) parts[at] = part.replaceAll(/[\\*?[\](){}!|+@]/g, '\\$&');
  }
  return parts.join('/');
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Reads a glob as `.gitignore` reads a line: without a slash it fits a name at any depth, with one a path from the
 * searched folder on, and with one at the end folders only.
 */
export function readGlob(glob: string): {
  readonly pattern: string;
  readonly isName: boolean;
  readonly folders: boolean;
} {
  const folders = glob.endsWith('/');
  const plain = glob
    .replace(/\/+$/, '')
    .replace(/^(?:\.\/+)+/, '')
    .replaceAll(/\/(?:\.?\/)+/g, '/');
  const isName = !plain.includes('/');
  return { pattern: plain.replace(/^\/+/, ''), isName, folders };
}

/** Whether a path fits; of a glob that is none, nothing does. */
export function globTest(glob: string, { ignoreCase = false }: GlobOptions = {}): PathTest {
  const { pattern, isName } = readGlob(glob);
  if (globError(pattern) !== undefined) return () => false;
  const form = new RegExp(globSource(pattern), ignoreCase ? 'isu' : 'su');
  return isName ? (path) => form.test(path.slice(path.lastIndexOf('/') + 1)) : (path) => form.test(path);
}

/** Also fits what is below a folder that the glob fits. */
export function globTestAbove(glob: string): PathTest {
  const fits = globTest(glob);
  return (path) => {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      if (fits(path.slice(0, at))) return true;
    return fits(path);
  };
}

const special = /[*?[\]{}()!+@\\]/;

/** The folder that a glob names before its first wildcard: nothing above it can fit. Empty where it names none. */
export function folderOf(glob: string): string {
  const { pattern, isName } = readGlob(glob);
  if (isName) return '';
  const parts = pattern.split('/');
  const end = parts.findIndex((part) => special.test(part));
  return parts.slice(0, end === -1 ? -1 : Math.min(end, parts.length - 1)).join('/');
}

/** How deep below the searched folder a glob can fit, where that is known. */
export function depthOf(glob: string): number | undefined {
  const { pattern, isName } = readGlob(glob);
  if (isName || pattern.includes('**') || /\{[^}]*\//.test(pattern)) return undefined;
  return pattern.split('/').length;
}
