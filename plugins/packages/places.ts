import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { KernError, type LocateResult, locateExtensions, locatePackage, type Where } from 'kern/plugin';
import { type Locked, lockFileOf, readLock, type Shelf, shelvesOf } from './lock.ts';
import { folderOf, whatIsWrong } from './shelf.ts';
import type { PackagePlace } from './types.ts';

/** Where the extensions stand of all packages, and of what the settings name. What is wrong with one is said when it is loaded. */
export async function placesOf(where: Where, named: readonly string[]): Promise<readonly PackagePlace[]> {
  const shelves = await Promise.all(shelvesOf(where).map((shelf) => placesOn(shelf, where)));
  const own = await Promise.all(named.map((one) => namedPlaces(one, where)));
  return [...shelves, ...own].flat();
}

async function placesOn(shelf: Shelf, where: Where): Promise<readonly PackagePlace[]> {
  try {
    const packages = [...readLock(shelf)].map(([name, locked]) => placesIn(shelf, name, locked, where));
    return (await Promise.all(packages)).flat();
  } catch (error) {
    return [brokenPlace(shelf, where, error)];
  }
}

async function placesIn(
  shelf: Shelf,
  name: string,
  locked: Locked,
  { home, root }: Where,
): Promise<readonly PackagePlace[]> {
  const folder = folderOf(shelf, name, locked);
  const isThere = existsSync(folder);
  const { found } = isThere ? await locatePackage(folder) : notThere(folder, locked);
  const short = name.replace(/^@/, '').replace('/', '-');
  return found.map(({ entry, manifest }): PackagePlace => {
    const file = path.relative(folder, entry).split(path.sep).join('/');
    const stem = stemOf(entry);
    return {
      entry,
      folder,
      level: shelf.level,
      name: shelf.level === 'project' ? `.kern/packages/${name}${found.length > 1 ? `/${file}` : ''}` : name,
      shortName: found.length > 1 ? `${short}.${stem}` : short,
      same: `${shelf.level} ${name} ${file}`,
      check: async () => {
        const wrong = await whatIsWrong(shelf, name, locked, home);
        if (wrong !== undefined) throw wrong;
      },
      ...(isThere ? {} : { isHollow: true }),
      ...(manifest === undefined ? {} : { manifest }),
      ...(locked.content === undefined ? {} : { mend: mendOf(shelf, name) }),
      ...(shelf.level === 'project' ? { root, bound: boundOf(name, locked, folder) } : {}),
    };
  });
}

/** What is edited in an installed package is not loaded. */
function mendOf({ level }: Shelf, name: string): string {
  const words = `${name}${level === 'project' ? ' --project' : ''}`;
  return `kern plugins update ${words} takes a newer version, and kern plugins remove ${words} takes it out; to mend it, install its folder`;
}

/** All of the package, and what it needs: those lie where trust does not look by itself. */
function boundOf(
  name: string,
  { version, source, content, modules }: Locked,
  folder: string,
): NonNullable<PackagePlace['bound']> {
  const definition = { package: name, version, source, content, modules };
  return { definition, files: content === undefined ? [] : [folder] };
}

const notThere = (folder: string, { entries }: Locked): LocateResult => ({
  found: entries.map((entry) => ({ entry: path.join(folder, entry), root: folder })),
  problems: [],
});

/** Stands for all that a lock file would name, so that people hear of it where they hear of everything else. */
function brokenPlace(shelf: Shelf, { root }: Where, error: unknown): PackagePlace {
  const entry = lockFileOf(shelf);
  return {
    entry,
    folder: shelf.folder,
    level: shelf.level,
    name: shelf.level === 'project' ? '.kern/packages' : 'packages',
    shortName: 'packages',
    check: () => Promise.reject(error),
    isHollow: true,
    ...(shelf.level === 'project' ? { root } : {}),
  };
}

/** A path of the setting `extensions`: a file, a package, or a folder of extensions. */
async function namedPlaces(said: string, { home, user = homedir() }: Where): Promise<readonly PackagePlace[]> {
  const full = said.startsWith('~/') ? path.join(user, said.slice(2)) : path.resolve(home, said);
  const found = await namedEntries(full);
  if (found.length === 0) {
    const missing = new KernError(
      'extension_missing',
      `the setting extensions names ${said}, and there is no extension: ${full}`,
      {
        hint: 'Name a file, a package, or a folder of extensions; paths are told from KERN_HOME.',
      },
    );
    return [
      {
        entry: full,
        folder: full,
        level: 'user',
        name: said,
        shortName: path.basename(full),
        check: () => Promise.reject(missing),
      },
    ];
  }
  return found.map(({ entry, root, manifest }) => ({
    entry,
    folder: root,
    level: 'user',
    name: stemOf(entry),
    shortName: stemOf(entry),
    ...(manifest === undefined ? {} : { manifest }),
  }));
}

async function namedEntries(full: string): Promise<LocateResult['found']> {
  const kind = statSync(full, { throwIfNoEntry: false });
  if (kind?.isFile() === true) return [{ entry: realpathSync(full), root: path.dirname(realpathSync(full)) }];
  if (kind?.isDirectory() !== true) return [];
  const real = realpathSync(full);
  const { found } = await locatePackage(real);
  return found.length > 0 ? found : (await locateExtensions(real)).found;
}

function stemOf(entry: string): string {
  const stem = path.basename(entry, path.extname(entry));
  return stem === 'index' ? path.basename(path.dirname(entry)) : stem;
}
