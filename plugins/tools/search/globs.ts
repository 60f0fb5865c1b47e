import type picomatch from 'picomatch';

/** Says of a path below the searched folder, with `/` between its parts, whether it fits. */
export type PathTest = (path: string) => boolean;

export interface GlobOptions {
  readonly ignoreCase?: boolean;
}

/** A longer one is no glob that somebody wrote. */
const longest = 1_000;
/** So many in one part of a path may take for ever to find out that they do not fit. */
const mostStars = 8;

/** What is wrong with a glob, in words for whoever gave it. */
export function whyNoGlob(glob: string): string | undefined {
  const shown = glob.length > 60 ? `${glob.slice(0, 60)}…` : glob;
  if (glob.trim() === '') return 'a glob is empty';
  if (glob.includes('\0')) return `the glob ${JSON.stringify(shown)} has a NUL in it`;
  if (glob.length > longest) return `the glob ${shown} is longer than ${longest} characters`;
  if (glob.split('/').some((part) => part.split(/\*+/).length - 1 > mostStars))
    return `the glob ${shown} has more than ${mostStars} stars in one part`;
  if (glob.split('/').includes('..'))
    return `the glob ${shown} leads out of the searched folder: give that folder as the path`;
  return undefined;
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
  const plain = glob.replace(/\/+$/, '').replace(/^(?:\.\/+)+/, '');
  const isName = !plain.includes('/');
  return { pattern: plain.replace(/^\/+/, ''), isName, folders };
}

/** Tests of globs share the package's matcher, which loads with the first of them. */
export async function createGlobs(): Promise<Globs> {
  const { default: match } = await import('picomatch');
  return {
    test: (glob, options) => testOf(match, glob, options),
    above(glob) {
      const fits = testOf(match, glob, {});
      return (path) => {
        for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
          if (fits(path.slice(0, at))) return true;
        return fits(path);
      };
    },
  };
}

export interface Globs {
  test(glob: string, options?: GlobOptions): PathTest;
  /** Also fits what is below a folder that the glob fits. */
  above(glob: string): PathTest;
}

function testOf(match: typeof picomatch, glob: string, { ignoreCase = false }: GlobOptions = {}): PathTest {
  const { pattern, isName } = readGlob(glob);
  // `+(a|aa)` and its like are no globs to ripgrep either, and can be made to take for ever.
  const fits = match(pattern, { dot: true, nocase: ignoreCase, noextglob: true, posix: true, strictSlashes: true });
  return isName ? (path) => fits(path.slice(path.lastIndexOf('/') + 1)) : fits;
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
