import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { nearNames } from 'kern/plugin';

/**
 * The absolute path of something that should be there. `~` is the home folder; an `@` in front, as files are mentioned
 * in prompts, is left out where that leads to something and the name as it stands does not.
 */
export function resolvePath(path: string, cwd: string): string {
  const exact = exactPath(path, cwd);
  if (!path.startsWith('@') || isThere(exact)) return exact;
  const mentioned = exactPath(path.slice(1), cwd);
  return isThere(mentioned) ? mentioned : exact;
}

/** The absolute path as it is written, `~` aside: what is made, replaced or deleted is named exactly. */
export function exactPath(path: string, cwd: string): string {
  if (path === '~') return homedir();
  if (path.startsWith('~/')) return join(homedir(), path.slice(2));
  return isAbsolute(path) ? resolve(path) : resolve(cwd, path);
}

/**
 * Where a write to `path` would really go: all symlinks followed, also one that leads to nothing yet; what is not there
 * is named below its nearest folder that is.
 */
export function realPath(path: string): string {
  return followed(path, 40);
}

function followed(path: string, links: number): string {
  try {
    return realpathSync.native(path);
  } catch {
    // Not there, or not to be entered: then the folder above decides.
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const place = join(followed(parent, links), basename(path));
  const target = linkTarget(place);
  return target === undefined || links === 0 ? place : followed(resolve(dirname(place), target), links - 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/**
 * What a path that leads to nothing may have meant: names of the same folder, or where the path ends to be there. Of a
 * link that leads to nothing, where that is.
 */
export function whatIsThere(path: string): string {
  const target = linkTarget(path);
  if (target !== undefined) return `It is a symlink to ${target}, and that is not there.`;
  const folder = dirname(path);
  const names = namesIn(folder);
  if (names !== undefined) {
    const near = nearNames(basename(path), names).map((name) => join(folder, name));
    return near.length === 0 ? `${folder} has nothing of a similar name` : `Did you mean ${near.join(' or ')}?`;
  }
  let there = folder;
  const broken = brokenLink(folder);
  if (broken !== undefined) return `${broken} is a symlink to ${linkTarget(broken)}, and that is not there.`;
  while (!isThere(there) && dirname(there) !== there) there = dirname(there);
  const missing =
    there === '/'
      ? `/${folder.slice(1).split('/')[0] ?? ''}`
      : join(there, folder.slice(there.length + 1).split('/')[0] ?? '');
  const near = nearNames(basename(missing), namesIn(there) ?? []).map((name) => join(there, name));
  return `The folder ${missing} is not there.${near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`}`;
}

/** The part of a path that is a link and leads to nothing. */
function brokenLink(path: string): string | undefined {
  for (let part = path; dirname(part) !== part; part = dirname(part))
    if (isThere(part)) return linkTarget(part) !== undefined && !existsSync(part) ? part : undefined;
  return undefined;
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
