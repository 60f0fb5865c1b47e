import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { KernError } from 'kern/plugin';

/** Where a package comes from. `text` is how the lock file names it. */
export type Source =
  | { readonly kind: 'npm'; readonly text: string; readonly name: string; readonly range: string }
  | { readonly kind: 'git'; readonly text: string; readonly url: string; readonly ref: string | undefined }
  /** A tarball: a file of this machine, or a URL. */
  | { readonly kind: 'tarball'; readonly text: string; readonly at: string }
  | { readonly kind: 'folder'; readonly text: string; readonly folder: string };

const npmName = /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i;
const shapes = 'npm:<name>[@<range>], git:<url>[@<ref>], https://…, a folder, or a .tgz';

/** What a person wrote, as a source. Paths are told from `base`: the folder they stand in, or the one of the lock file. */
export function sourceOf(text: string, base: string, user: string): Source {
  if (text.startsWith('npm:')) return npmSource(text);
  if (/^git:|^git\+/.test(text)) return gitSource(text, base, user);
  if (/^(?:https?|ssh|git):\/\//.test(text)) return urlSource(text, base, user);
  const isPath = /^(?:\.{1,2}(?:[/\\]|$)|[/\\]|~[/\\]|~$|[a-zA-Z]:[/\\])/.test(text) || /\.(?:tgz|tar\.gz)$/.test(text);
  if (isPath) return pathSource(text, base, user);
  throw unclear(text, base);
}

function npmSource(text: string): Source {
  const [, name = '', range = ''] = /^npm:(@?[^@]*)(?:@(.*))?$/s.exec(text) ?? [];
  // Whatever else npm would take in the place of a range leads elsewhere than to its registry.
  if (!npmName.test(name) || !/^[\w.^~<>=|*+ -]*$/.test(range))
    throw usage(`${text} names no package of a registry`, 'npm:<name>, or npm:<name>@<version, range or tag>');
  return { kind: 'npm', text, name, range: range === '' ? 'latest' : range };
}

function gitSource(text: string, base: string, user: string): Source {
  const [url, ref] = split(text.replace(/^git:(?!\/\/)|^git\+/, ''));
  const isLocal = /^(?:[./~]|[a-zA-Z]:[/\\])/.test(url);
  const where = isLocal ? pathFrom(url, base, user) : url;
  if (ref !== undefined && !/^[\w][\w./+-]*$/.test(ref))
    throw usage(`${ref} is no branch, tag or commit`, 'git:<url>@<branch, tag or commit>');
  if (!isLocal && !/^(?:https:\/\/|ssh:\/\/|[\w.-]+@[\w.-]+:)[^-]/.test(where) && !isLoopback(where))
    throw usage(
      `${url} is no address that kern clones from`,
      'git:https://…, git:ssh://…, git:user@host:path, or a path',
    );
  return { kind: 'git', text, url: where, ref };
}

/** `url#ref`, or `url@ref`: an `@` that stands before the path belongs to the address. */
function split(text: string): readonly [url: string, ref: string | undefined] {
  const hash = text.indexOf('#');
  const at = hash < 0 ? text.lastIndexOf('@') : hash;
  const isRef = hash >= 0 || at > Math.max(text.lastIndexOf('/'), text.lastIndexOf(':'));
  return at < 0 || !isRef || at === text.length - 1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function urlSource(text: string, base: string, user: string): Source {
  const { pathname, protocol } = parsed(text);
  if (/\.(?:tgz|tar\.gz)$/.test(pathname)) {
    if (protocol !== 'https:' && !isLoopback(text)) throw usage(`${text} is not encrypted`, 'Use https.');
    return { kind: 'tarball', text, at: text };
  }
  const isGit =
    /\.git$/.test(pathname) ||
    /^(?:ssh|git):/.test(protocol) ||
    /^(?:www\.)?(?:github|gitlab|codeberg|bitbucket)\.\w+$/.test(parsed(text).hostname);
  if (isGit) return { ...gitSource(`git:${text}`, base, user), text };
  throw usage(`${text}: is that a git repository, or a tarball?`, `Of a repository: git:${text}`);
}

function pathSource(text: string, base: string, user: string): Source {
  const full = pathFrom(text, base, user);
  if (!existsSync(full))
    throw new KernError('package_not_found', `${full} is not there`, { hint: `What can be installed: ${shapes}` });
  if (statSync(full).isDirectory()) return { kind: 'folder', text: full, folder: full };
  if (/\.(?:tgz|tar\.gz)$/.test(full)) return { kind: 'tarball', text: full, at: full };
  throw usage(`${full} is neither a folder nor a .tgz`, 'A single file belongs into extensions/, or behind -e.');
}

function pathFrom(text: string, base: string, user: string): string {
  return text.startsWith('~') ? path.join(user, text.slice(1)) : path.resolve(base, text);
}

/** Not guessed: a name that was meant as a folder must not fetch what a stranger has published under it. */
function unclear(text: string, base: string): KernError {
  const isHere = existsSync(path.resolve(base, text));
  return usage(
    `${text}: is that a package of npm, or a folder?`,
    isHere
      ? `The folder that is here: ./${text}. The package: npm:${text}`
      : npmName.test(text.replace(/(?<=.)@.*$/, ''))
        ? `The package: npm:${text}`
        : shapes,
  );
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw usage(`${text} is no address`, shapes);
  }
}

/** Unencrypted, and on this machine. */
const isLoopback = (url: string): boolean => /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\//.test(url);

const usage = (message: string, hint: string): KernError => new KernError('usage', message, { hint });

/** How the lock file of a project names a path: from the project, so that it leads there on other machines too. */
export function portable(source: Source, root: string): string {
  if (!path.isAbsolute(source.text)) return source.text;
  const inside = path.relative(root, source.text);
  return inside.startsWith('..') || path.isAbsolute(inside) ? source.text : `./${inside.split(path.sep).join('/')}`;
}

/** The folder that a source of a lock file leads to. */
export const pathOfSource = (source: string, base: string): string => path.resolve(base, source);
