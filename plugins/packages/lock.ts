import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { codeOf, KernError, makeFolder, withLock, writePrivate } from 'kern/plugin';

/** One installed package. */
export interface Locked {
  /** As it was asked for: `npm:weather@^1`. */
  readonly source: string;
  readonly version: string;
  /** What exactly that was: `weather@1.2.0`, the commit, the address. Missing of a folder that is used where it lies. */
  readonly resolved?: string;
  /** SHA-512 of the tarball, as registries tell it. */
  readonly integrity?: string;
  /** SHA-256 over its own files. */
  readonly content?: string;
  /** Its extensions, from its folder. */
  readonly entries: readonly string[];
  /** The packages it needs, in the words of npm's lock file. */
  readonly dependencies?: Readonly<Record<string, unknown>>;
  /** SHA-256 over the files of those, by kind of machine: some packages differ there. */
  readonly modules?: Readonly<Record<string, string>>;
}

export type Lock = ReadonlyMap<string, Locked>;

export type PackageLevel = 'user' | 'project';

/** Where packages of a level lie. */
export interface Shelf {
  readonly level: PackageLevel;
  /** `KERN_HOME/packages`, or `.kern/packages` of the project. */
  readonly folder: string;
  /** What paths in its lock file are told from: KERN_HOME, or the project. */
  readonly base: string;
}

export const lockName = 'packages.lock.json';

/** The shelves of a place: the project's too, unless the project is the person's home itself. */
export function shelvesOf({ home, root }: { readonly home: string; readonly root: string }): readonly Shelf[] {
  const user: Shelf = { level: 'user', folder: path.join(home, 'packages'), base: home };
  const project: Shelf = { level: 'project', folder: path.join(root, '.kern', 'packages'), base: root };
  return user.folder === project.folder ? [user] : [user, project];
}

export const lockFileOf = ({ folder }: Shelf): string => path.join(folder, lockName);

/** The machine, as far as packages differ by it. */
export const machine = `${process.platform}-${process.arch}`;

const limit = 16 * 1_048_576;

/** What is installed; nothing where there is no lock file. Throws `package_lock` where it cannot be read. */
export function readLock(shelf: Shelf): Lock {
  const file = lockFileOf(shelf);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return new Map();
  if (!found.isFile() || found.size > limit) throw broken(file, 'it is no plain file, or too large');
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw broken(file, codeOf(error) === undefined ? 'it is no JSON' : String(error));
  }
  return lockOf(content, file);
}

/** The lock that a file says. */
export function lockOf(content: unknown, file: string): Lock {
  if (!isMap(content) || !isMap(content.packages)) throw broken(file, 'it has no map of packages');
  if (typeof content.version === 'number' && content.version > 1)
    throw new KernError('package_lock', `${file} was written by a newer kern`, { hint: 'Update kern.' });
  const lock = new Map<string, Locked>();
  for (const [name, said] of Object.entries(content.packages)) {
    if (!isPackageName(name)) throw broken(file, `${JSON.stringify(name)} is no name of a package`);
    if (!isLocked(said)) throw broken(file, `what it says of ${name} is not understood`);
    lock.set(name, said);
  }
  return lock;
}

/** Changes the lock file, based on what is on disk at that moment; another process waits meanwhile. */
export async function changeLock<T>(shelf: Shelf, edit: (lock: Map<string, Locked>) => Promise<T> | T): Promise<T> {
  await makeFolder(shelf.folder);
  return withLock(path.join(shelf.folder, '.lock'), async () => {
    const lock = new Map(readLock(shelf));
    const before = textOf(lock);
    const answer = await edit(lock);
    const after = textOf(lock);
    if (after !== before) await writePrivate(lockFileOf(shelf), after);
    return answer;
  });
}

function textOf(lock: Lock): string {
  const names = [...lock.keys()].sort((a, b) => (a < b ? -1 : 1));
  const packages = Object.fromEntries(names.map((name) => [name, lock.get(name)]));
  return `${JSON.stringify({ version: 1, packages }, undefined, 2)}\n`;
}

function broken(file: string, why: string): KernError {
  return new KernError(
    'package_lock',
    `${file} cannot be read: ${why}: restore it from git, then \`kern plugins install\``,
    {
      hint: 'Or move it away, and install the packages again.',
    },
  );
}

/** A name of npm: it is also the name of a folder. */
export const isPackageName = (name: string): boolean =>
  name.length <= 214 && /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i.test(name);

export const isVersion = (version: string): boolean => version.length <= 100 && /^[0-9a-z][0-9a-z.+-]*$/i.test(version);

export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDigest = (value: unknown): boolean =>
  value === undefined || /^sha(?:256|512)-[\w+/=-]{20,}$/.test(String(value));

function isLocked(value: unknown): value is Locked {
  if (!isMap(value)) return false;
  const { source, version, resolved, integrity, content, entries, dependencies, modules } = value;
  return (
    typeof source === 'string' &&
    typeof version === 'string' &&
    isVersion(version) &&
    (resolved === undefined || typeof resolved === 'string') &&
    isDigest(integrity) &&
    isDigest(content) &&
    Array.isArray(entries) &&
    entries.every(
      (entry) => typeof entry === 'string' && !/(?:^|[/\\])\.\.(?:[/\\]|$)|^[/\\]|^[a-zA-Z]:/.test(entry),
    ) &&
    (dependencies === undefined || isMap(dependencies)) &&
    (modules === undefined || (isMap(modules) && Object.values(modules).every(isDigest)))
  );
}
