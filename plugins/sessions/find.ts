import { basename, resolve } from 'node:path';
import type { SessionStorage } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { expanded, type Folders, foldersIn } from './folders.ts';
import { headerOf } from './header-of.ts';

export interface Where extends Folders {
  readonly storage: SessionStorage;
}

/** The file of a session by path, id, or the beginning of an id: of this folder first, then of all others. */
export async function findSession(wanted: string, where: Where): Promise<string> {
  const { storage, cwd, own, root } = where;
  if (isPath(wanted)) return byPath(wanted, [cwd, own], storage);
  const here = await pathsIn([own], storage);
  const everywhere = async (): Promise<readonly string[]> => {
    const others = root === undefined ? [] : (await foldersIn(root)).filter((folder) => folder !== own);
    return pathsIn(others, storage);
  };
  const near = chosen(wanted, here);
  if (near.length === 1 && near[0] !== undefined) return near[0];
  const all = [...here, ...(await everywhere())];
  let found = near.length > 1 ? near : chosen(wanted, all);
  // A file that somebody has renamed knows its id itself.
  if (found.length === 0) found = all.filter((path) => headerOf(storage, path)?.id.startsWith(wanted));
  if (found.length === 1 && found[0] !== undefined) return found[0];
  if (found.length === 0) throw notFound(wanted);
  throw new KernError('session_ambiguous', `${found.length} sessions begin with ${wanted}:\n${listed(found)}`, {
    hint: 'give more of the id, or the path',
  });
}

/** The newest session of a working directory. Folders of two may be one: `/a-b` and `/a/b`. */
export async function latestIn({ storage, cwd, own }: Where): Promise<string | undefined> {
  const found = [...(await storage.list(own))].sort((a, b) => b.modifiedMs - a.modifiedMs);
  return found.find(({ path, size }) => size > 0 && headerOf(storage, path)?.cwd === cwd)?.path;
}

const isPath = (wanted: string): boolean => /[/\\]|\.jsonl$|^~/.test(wanted);

async function byPath(wanted: string, bases: readonly string[], storage: SessionStorage): Promise<string> {
  for (const base of bases) {
    const path = resolve(base, expanded(wanted));
    if ((await storage.size(path)) !== undefined) return path;
  }
  throw notFound(wanted);
}

async function pathsIn(folders: readonly string[], storage: SessionStorage): Promise<readonly string[]> {
  const lists = await Promise.all(folders.map((folder) => storage.list(folder)));
  return lists.flat().map(({ path }) => path);
}

/** The one with this id, else all whose ids begin so. */
function chosen(wanted: string, paths: readonly string[]): readonly string[] {
  const id = wanted.toLowerCase();
  const exact = paths.filter((path) => idIn(path) === id);
  return exact.length > 0 ? exact : paths.filter((path) => idIn(path).startsWith(id));
}

/** `<time>_<id>.jsonl`. */
function idIn(path: string): string {
  const name = basename(path).replace(/\.jsonl$/, '');
  return name.slice(name.lastIndexOf('_') + 1).toLowerCase();
}

const most = 12;

function listed(paths: readonly string[]): string {
  const lines = paths.slice(0, most).map((path) => `  ${path}`);
  return [...lines, ...(paths.length > most ? [`  … and ${paths.length - most} more`] : [])].join('\n');
}

const notFound = (wanted: string): KernError =>
  new KernError('session_not_found', `there is no session ${wanted}`, {
    hint: '`kern sessions list --all` shows those there are',
  });
