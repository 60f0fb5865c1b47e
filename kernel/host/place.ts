import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import type { Level } from '../capability.ts';
import { KernError } from '../error.ts';
import type { PluginDefinition, TrustItem, TrustState } from '../plugin.ts';
import { type ExtensionManifest, type LocatedExtension, locateExtensions, locatePackage } from './locate.ts';

/** A folder in which extensions are looked for. */
export interface ExtensionFolder {
  readonly path: string;
  readonly level: 'user' | 'project';
  /** Of a project. */
  readonly root?: string;
}

/** Where an extension stands, before anything of it ran. */
export interface Place {
  readonly entry: string;
  /** Its folder, or for a single file the folder it stands in. */
  readonly folder: string;
  readonly level: Level;
  readonly root?: string;
  /** What trust and messages call it until its id is known: of a project its path in it, else the name of its file or folder. */
  readonly name: string;
  /** The name of its file or folder; of one of several in a package both. */
  readonly shortName: string;
  readonly manifest?: ExtensionManifest;
  /** Of code in the folder of another agent: whose. */
  readonly dialect?: string;
  /** Of code that is no plugin by itself, as a tool in a file: makes one of it. */
  readonly make?: PlaceMaker;
  /** Of a package, whose versions stand in folders of their own: the extension, whatever its version. Another one takes the place of this one. */
  readonly same?: string;
  /** Rejects where what stands there is not what was installed. Asked each time before anything of it is read. */
  check?(): Promise<void>;
  /** Nothing that could run stands there: the check says why before anybody is asked to trust it. */
  readonly isHollow?: true;
  /** What to do where it does not load, of what is not to be edited where it lies: of an installed package. */
  readonly mend?: string;
  /** What does not hold while it does not load, where somebody counts on it: told with its failure. */
  readonly stake?: string;
  /** What trust is bound to beside its code: the rest of its package. */
  readonly bound?: Pick<TrustItem, 'definition' | 'files'>;
}

/** Makes a plugin of what is none: of what a file exports, or of a program, which is never loaded as code. */
export interface PlaceMaker {
  readonly of: 'exports' | 'program';
  plugin(exports: unknown): PluginDefinition | Promise<PluginDefinition>;
}

export type PlaceState =
  /** Not tried yet, or asleep until something of it is used. */
  | { readonly state: 'new' }
  | { readonly state: 'loaded'; readonly key: string }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'blocked'; readonly trust: Exclude<TrustState, 'trusted'>; readonly wasLive: boolean };

/** What its failures are booked on while its id is not known. */
export const placeKey = (place: Place): string => `place:${place.entry}`;

/** Of a built-in that runs from its sources. */
export const builtinPlace = (id: string, entry: string): Place => ({
  entry,
  folder: dirname(entry),
  level: 'builtin',
  name: id,
  shortName: id,
});

/** How a project's plugin is presented to the gate. */
export function trustItemOf({ name, entry, bound }: Pick<Place, 'name' | 'entry' | 'bound'>): TrustItem {
  return { kind: 'plugin', id: name, path: entry, ...bound };
}

/** Of an extension of a package of which another version is in force: where that stands. */
export function nextVersion({ same }: Place, places: readonly Place[]): Place | undefined {
  return same === undefined ? undefined : places.find((place) => place.same === same);
}

/** All that stands in the folders and what is found otherwise, but what a person named, and what there is no extension. */
export async function foundIn(
  folders: readonly ExtensionFolder[],
  named: readonly string[],
  others: () => Promise<readonly Place[]> = async () => [],
): Promise<{ readonly places: readonly Place[]; readonly problems: ReadonlyMap<string, string> }> {
  const located = await Promise.all(
    folders.map(async (folder) => ({ folder, ...(await locateExtensions(folder.path)) })),
  );
  const places = located.flatMap(({ folder, found }) =>
    found.filter(({ entry }) => !named.includes(realPath(entry))).map((one) => placeIn(folder, one)),
  );
  const known = new Set([...named, ...places.map(({ entry }) => entry)]);
  return {
    places: [...places, ...(await others()).filter(({ entry }) => !known.has(entry))],
    problems: new Map(located.flatMap(({ problems }) => problems).map(({ path, message }) => [path, message])),
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // gone since it was found
  }
}

function placeIn(folder: ExtensionFolder, located: LocatedExtension): Place {
  const { entry, root, manifest } = located;
  const { path, level, root: project } = folder;
  return {
    entry,
    folder: root,
    level,
    name: project === undefined ? nameOf(entry, root, path) : relative(project, entry).split(sep).join('/'),
    shortName: resolve(root) === resolve(path) ? stemOf(entry) : nameInPackage(located),
    ...(project === undefined ? {} : { root: project }),
    ...(manifest === undefined ? {} : { manifest }),
  };
}

/** `weather.ts` and `weather/index.ts` are both `weather`. */
function nameOf(entry: string, folder: string, extensions: string): string {
  return resolve(folder) === resolve(extensions) ? stemOf(entry) : basename(folder);
}

/** That of its folder, and where there are several in it, that of the file too. */
function nameInPackage({ entry, root, isOneOf }: LocatedExtension): string {
  return isOneOf === true ? `${basename(root)}.${stemOf(entry)}` : basename(root);
}

/** The name of a file that says something: of an index file that of its folder. */
export function stemOf(entry: string): string {
  const stem = basename(entry, extname(entry));
  return stem === 'index' ? basename(dirname(entry)) : stem;
}

/** What `-e` names: a file, a folder with an index file, or a package that states its entries. */
export async function explicitPlaces(path: string): Promise<readonly Place[]> {
  const absolute = resolve(path);
  if (!existsSync(absolute)) throw missing(`-e ${path}: there is no such file or folder`);
  const real = realpathSync(absolute);
  const stats = statSync(real);
  if (!stats.isDirectory()) {
    if (!stats.isFile()) throw missing(`-e ${path}: it is no regular file`);
    return [
      {
        entry: real,
        folder: dirname(real),
        level: 'session',
        name: basename(real, extname(real)),
        shortName: stemOf(real),
      },
    ];
  }
  const { found, problems } = await locatePackage(real);
  if (problems[0] !== undefined) throw missing(`-e ${path}: ${problems[0].message}`);
  const entries = found.length > 0 ? found : otherIndexOf(real);
  if (entries.length === 0)
    throw missing(`-e ${path}: the folder has no index.ts or index.js, and no package.json that names an entry`);
  return entries.map((located) => ({
    entry: located.entry,
    folder: real,
    level: 'session' as const,
    name: basename(real),
    shortName: nameInPackage({ ...located, root: real }),
    ...(located.manifest === undefined ? {} : { manifest: located.manifest }),
  }));
}

function otherIndexOf(folder: string): readonly LocatedExtension[] {
  const entry = ['index.mts', 'index.mjs', 'index.cjs'].map((file) => join(folder, file)).find(existsSync);
  return entry === undefined ? [] : [{ entry, root: folder }];
}

function missing(message: string): KernError {
  return new KernError('extension_missing', message, { hint: 'give the path of an extension file or of its folder' });
}
