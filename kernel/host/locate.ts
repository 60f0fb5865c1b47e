import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { codeOf, messageOf } from '../error.ts';
import { visible } from '../visible.ts';

/** What a package says about itself under `kern` in its package.json, besides its entries. */
export interface ExtensionManifest {
  readonly id?: string;
  /** Keys of the items it contributes, by capability; `*` is all it may be asked for. */
  readonly contributes?: Readonly<Record<string, readonly string[] | '*'>>;
  /** Ids of the capabilities and hooks that are its own. */
  readonly declares?: readonly string[];
  /** Ids of the hooks it taps. */
  readonly taps?: readonly string[];
  /** What its items look like before it runs, by capability: `{tool: [{name, description, inputSchema}]}`. */
  readonly stubs?: Readonly<Record<string, readonly object[]>>;
  /** The files without which it has nothing of a capability: where none is there, it goes on sleeping. */
  readonly looksFor?: Readonly<Record<string, readonly string[]>>;
  /** The id of the provider that looks for them, so that nothing is looked for where that is switched off. */
  readonly provider?: string;
}

/** An extension as it stands on disk. Nothing of it has run. */
export interface LocatedExtension {
  readonly entry: string;
  /** Its folder; for a single file the folder it stands in. */
  readonly root: string;
  readonly manifest?: ExtensionManifest;
  /** Its package has others beside it. */
  readonly isOneOf?: boolean;
}

export interface LocateProblem {
  readonly path: string;
  readonly message: string;
}

export interface LocateResult {
  /** In the order of their paths, which means nothing. */
  readonly found: readonly LocatedExtension[];
  readonly problems: readonly LocateProblem[];
}

type Finding = LocatedExtension | LocateProblem;

const manifestLimit = 1024 * 1024;

/** Lists the extensions of a folder: its files, and one level down its packages and index files. A missing folder has none. */
export async function locateExtensions(folder: string): Promise<LocateResult> {
  const names = await namesIn(folder);
  if ('message' in names) return { found: [], problems: [names] };
  return sorted((await Promise.all(names.map((name) => locate(folder, name)))).flat());
}

function sorted(findings: readonly Finding[]): LocateResult {
  return {
    found: findings.filter((one) => 'entry' in one).sort((a, b) => compare(a.entry, b.entry)),
    problems: findings.filter((one) => 'message' in one).sort((a, b) => compare(a.path, b.path)),
  };
}

async function namesIn(folder: string): Promise<readonly string[] | LocateProblem> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.') && name !== 'node_modules');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    return { path: folder, message: `${folder} cannot be read: ${messageOf(error)}` };
  }
}

async function locate(folder: string, name: string): Promise<readonly Finding[]> {
  const path = join(folder, name);
  const kind = await kindOf(path);
  // Whoever reads the name, to trust it or not, has to see what it is.
  if (visible(name) !== name && (kind === 'folder' || isEntryName(name))) return [hiddenProblem(path)];
  if (kind === 'folder') return inPackage(path);
  if (!isEntryName(name)) return [];
  if (kind === 'file') return [{ entry: path, root: folder }];
  return [{ path, message: `${path} is ${kind === 'absent' ? 'a link to nothing' : 'no regular file'}` }];
}

/** The extensions of one package: those it states, else its index file. */
export async function locatePackage(root: string): Promise<LocateResult> {
  return sorted(await inPackage(root));
}

async function inPackage(root: string): Promise<readonly Finding[]> {
  const stated = await statedEntries(root);
  if (stated !== undefined) return stated;
  for (const name of ['index.ts', 'index.js']) {
    const entry = join(root, name);
    if ((await kindOf(entry)) === 'file')
      return (await isWithin(entry, root)) ? [{ entry, root }] : [outsideProblem(root, name)];
  }
  return [];
}

/** Who a package.json may speak to, the first that it does: kern, or one whose extensions kern runs as they are. */
const readers = ['kern', 'pi', 'omp'];

/** What package.json states, or undefined where it says nothing about extensions. */
async function statedEntries(root: string): Promise<readonly Finding[] | undefined> {
  const path = join(root, 'package.json');
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true) return undefined;
  if (stats.size > manifestLimit) return [{ path, message: `${path} is larger than 1 MB` }];
  const whole = await parsed(path);
  if (whole instanceof Error) return [{ path, message: `${path}: ${visible(whole.message)}` }];
  const reader = readers.find((name) => fieldOf(fieldOf(whole, name), 'extensions') !== undefined);
  if (reader === undefined) return undefined;
  const entries = fieldOf(fieldOf(whole, reader), 'extensions');
  if (!isTexts(entries))
    return [{ path, message: `${path}: ${reader}.extensions is a list of paths, such as ["./main.ts"]` }];
  const manifest = manifestOf(fieldOf(whole, 'kern'));
  if (typeof manifest === 'string') return [{ path, message: `${path}: ${manifest}` }];
  if (manifest !== undefined && entries.length > 1)
    return [
      {
        path,
        message: `${path}: kern.id and what goes with it speak of one extension, but there are ${entries.length}`,
      },
    ];
  const once = new Map(entries.map((name) => [resolve(root, name), name]));
  const found = (await Promise.all([...once.values()].map((name) => statedEntry(root, name, manifest)))).flat();
  return found.length < 2 ? found : found.map((one) => ('entry' in one ? { ...one, isOneOf: true } : one));
}

async function statedEntry(
  root: string,
  name: string,
  manifest: ExtensionManifest | undefined,
): Promise<readonly Finding[]> {
  const entry = resolve(root, name);
  if (visible(name) !== name) return [hiddenProblem(entry)];
  const kind = await kindOf(entry);
  if (!isBelow(entry, root) || (kind !== 'absent' && !(await isWithin(entry, root))))
    return [outsideProblem(root, name)];
  if (kind === 'absent')
    return [{ path: entry, message: `${entry} is not there, though ${join(root, 'package.json')} names it` }];
  // pi's packages name folders of extensions.
  if (kind === 'folder') {
    const { found, problems } = await locateExtensions(entry);
    return [...found.map((one) => ({ ...one, root })), ...problems];
  }
  if (kind !== 'file') return [{ path: entry, message: `${entry} is no regular file` }];
  return [{ entry, root, ...(manifest === undefined ? {} : { manifest }) }];
}

function hiddenProblem(path: string): LocateProblem {
  return { path: visible(path), message: `${visible(path)} has characters in its name that do not show: rename it` };
}

function outsideProblem(root: string, name: string): LocateProblem {
  return { path: join(root, 'package.json'), message: `${name} lies outside ${root}: an entry stays in its package` };
}

/** Where a link leads counts, not where it stands. */
async function isWithin(entry: string, root: string): Promise<boolean> {
  return isBelow(await realpath(entry), await realpath(root));
}

function isBelow(path: string, root: string): boolean {
  const inside = relative(root, path);
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && resolve(root, inside) === resolve(path);
}

/** Never opens anything: a pipe would wait for its writer. */
async function kindOf(path: string): Promise<'file' | 'folder' | 'other' | 'absent'> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return 'absent';
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() ? 'file' : 'other';
}

function isEntryName(name: string): boolean {
  return /\.(ts|mts|js|mjs|cjs)$/.test(name) && !/\.d\.m?ts$/.test(name) && !/\.test\.[^.]+$/.test(basename(name));
}

async function parsed(path: string): Promise<unknown> {
  try {
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (value instanceof Error) return value;
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** The manifest, or what is wrong with it. */
function manifestOf(kern: unknown): ExtensionManifest | string | undefined {
  const id = fieldOf(kern, 'id');
  const contributes = fieldOf(kern, 'contributes');
  const declares = fieldOf(kern, 'declares');
  const taps = fieldOf(kern, 'taps');
  const stubs = fieldOf(kern, 'stubs');
  const looksFor = fieldOf(kern, 'looksFor');
  const provider = fieldOf(kern, 'provider');
  if ([id, contributes, declares, taps, stubs, looksFor, provider].every((field) => field === undefined))
    return undefined;
  if (id !== undefined && typeof id !== 'string') return 'kern.id is a text';
  if (declares !== undefined && !isTexts(declares)) return 'kern.declares is a list of ids';
  if (taps !== undefined && !isTexts(taps)) return 'kern.taps is a list of ids';
  if (contributes !== undefined && !isContributes(contributes))
    return 'kern.contributes has a list of keys, or "*", for each capability';
  if (stubs !== undefined && !isStubs(stubs))
    return 'kern.stubs has a list of descriptions for each capability, such as {"tool": [{"name": "…"}]}';
  if (looksFor !== undefined && !isLists(looksFor))
    return 'kern.looksFor has a list of paths for each capability, such as {"skill": ["~/.x/skills", ".x/skills"]}';
  if (provider !== undefined && typeof provider !== 'string') return 'kern.provider is a text';
  return {
    ...(id === undefined ? {} : { id }),
    ...(contributes === undefined ? {} : { contributes }),
    ...(declares === undefined ? {} : { declares }),
    ...(taps === undefined ? {} : { taps }),
    ...(stubs === undefined ? {} : { stubs }),
    ...(looksFor === undefined ? {} : { looksFor }),
    ...(provider === undefined ? {} : { provider }),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isLists(value: unknown): value is Readonly<Record<string, readonly string[]>> {
  return isObject(value) && Object.values(value).every(isTexts);
}

function isContributes(value: unknown): value is Readonly<Record<string, readonly string[] | '*'>> {
  return isObject(value) && Object.values(value).every((keys) => keys === '*' || isTexts(keys));
}

function isStubs(value: unknown): value is Readonly<Record<string, readonly object[]>> {
  return isObject(value) && Object.values(value).every((items) => Array.isArray(items) && items.every(isObject));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** By code unit: the same everywhere, whatever the language of the machine. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
