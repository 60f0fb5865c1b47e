import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { CosmiconfigResult, Options } from 'cosmiconfig';
import { KernError, messageOf } from '../error.ts';
import { emptyMap, type MapNode } from './node.ts';
import { largestFile, type ReadFile, readConfigText, UnreadableFile } from './read.ts';

/** In each folder the first of its places that holds something is its file. */
export const userPlaces: readonly string[] = ['config.yml', 'config.yaml', 'config.json'];
export const projectPlaces: readonly string[] = [
  ...userPlaces.map((name) => `.kern/${name}`),
  '.kernrc',
  '.kernrc.json',
  '.kernrc.yaml',
  '.kernrc.yml',
  'package.json',
];

/** A problem with a file or a value; `key` is missing when it is about the file. */
export interface ConfigProblem {
  readonly file?: string;
  readonly line?: number;
  readonly key?: string;
  readonly message: string;
}

/** What a level of config was found to be. */
export interface Found {
  /** The file that counts. */
  readonly file?: string;
  readonly root: MapNode;
  /** Files that would count if it were not there. */
  readonly shadowed: readonly string[];
  /** The file that counts cannot be read: nothing in it is known. */
  readonly broken: boolean;
  readonly problems: readonly ConfigProblem[];
  /** Every place that was looked at, also where nothing is. */
  readonly places: readonly string[];
}

/** What was read from a file before: the same text is not parsed again, and a broken edit changes nothing. */
export type ReadCache = Map<string, { readonly text: string; readonly read: ReadFile }>;

/** Finds the config file of a folder. Where there is none, no parser is loaded. */
export async function findConfig(folder: string, places: readonly string[], cache: ReadCache): Promise<Found> {
  const problems: ConfigProblem[] = [];
  const present: string[] = [];
  for (const place of places) {
    const file = path.join(folder, place);
    const look = lookAt(file);
    if (look === 'absent' || look === 'empty') {
      // What comes here later is a new file: a broken one has nothing to fall back on.
      cache.delete(file);
      continue;
    }
    if (place === 'package.json' && (look !== 'plain' || !mentionsConfig(file))) continue;
    if (look === 'plain') present.push(place);
    else problems.push({ file, message: `${look}; it is left out` });
  }
  const refused = problems.length > 0;
  const all = places.map((place) => path.join(folder, place));
  if (present.length === 0) return { root: emptyMap, shadowed: [], broken: refused, problems, places: all };
  const found = await search(folder, present, cache);
  problems.push(...found.problems);
  const shadowed = present
    .map((place) => path.join(folder, place))
    .filter((file) => file !== found.file && found.file !== undefined);
  return { ...found, broken: found.broken || refused, shadowed, problems, places: all };
}

/** Reads the file that a person named: here a missing or broken file is an error. */
export async function loadOverlay(file: string, cache: ReadCache): Promise<Found> {
  const look = lookAt(file);
  if (look === 'empty') return { file, root: emptyMap, shadowed: [], broken: false, problems: [], places: [file] };
  if (look !== 'plain')
    throw new KernError('config_missing', `the config file ${file} ${look === 'absent' ? 'is not there' : look}.`, {
      hint: 'Check --config and KERN_CONFIG.',
    });
  const found = await search(path.dirname(file), [path.basename(file)], cache);
  const [problem] = found.problems;
  if (found.broken && problem !== undefined) {
    throw new KernError('config_unreadable', `${placeText(problem)} ${problem.message}`, {
      hint: 'Correct the file, or leave out --config and KERN_CONFIG.',
    });
  }
  return { ...found, shadowed: [], places: [file] };
}

export function placeText(at: { readonly file?: string; readonly line?: number }): string {
  return `${at.file ?? ''}${at.line === undefined ? '' : `:${at.line}`}`;
}

type Look = 'absent' | 'empty' | 'plain' | `is ${string}` | `cannot ${string}`;

/** A link is followed, what it leads to is data all the same; a pipe or device would never end. Files of /proc have no size. */
function lookAt(file: string): Look {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return 'absent';
    if (!found.isFile()) return 'is not a plain file';
    if (found.size > largestFile) return 'is larger than 1 MB';
    if (found.size === 0) return 'empty';
    accessSync(file, constants.R_OK);
    return 'plain';
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOTDIR') return 'absent'; // `.kern` is a file
    return `cannot be read: ${messageOf(thrown)}`;
  }
}

/** Most projects have a package.json that says nothing about kern: those must not cost a parser. */
function mentionsConfig(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    if (!text.includes('"kern"')) return false;
    const content = JSON.parse(text) as { kern?: { config?: unknown } } | null;
    return content?.kern?.config !== undefined;
  } catch {
    return true; // let the search say what is wrong
  }
}

async function search(
  folder: string,
  places: readonly string[],
  cache: ReadCache,
): Promise<Omit<Found, 'shadowed' | 'places'>> {
  // The front door of cosmiconfig first searches the working directory for settings of its own and runs a
  // `.config/config.js` that it finds there. The explorer behind the door does not.
  const { Explorer } = (await import('cosmiconfig/dist/Explorer.js')) as unknown as {
    Explorer: new (
      options: Options & { metaConfigFilePath: null; moduleName: string },
    ) => { search(from: string): Promise<CosmiconfigResult> };
  };
  const opened = new Map<string, ReadFile | UnreadableFile>();
  // The answer is wrapped, so a `$import` in the file is a key like any other and brings in nothing.
  const load = async (file: string, text: string): Promise<unknown> => {
    const read = await readCached(file, text, cache);
    const configured = isManifest(file) && !(read instanceof UnreadableFile) ? configOf(read) : read;
    if (configured === undefined) return {};
    opened.set(file, configured);
    return { kern: { file } };
  };
  const refuse = (file: string): never => {
    throw new UnreadableFile(`is neither YAML nor JSON by its name (${path.extname(file)})`);
  };
  const loaders: Options['loaders'] = { '.json': load, '.yaml': load, '.yml': load, noExt: load, default: refuse };
  const explorer = new Explorer({
    moduleName: 'kern',
    packageProp: 'kern',
    searchPlaces: [...places],
    loaders,
    transform: (result) => result,
    cache: false,
    ignoreEmptySearchPlaces: true,
    mergeImportArrays: false,
    mergeSearchPlaces: false,
    metaConfigFilePath: null,
    searchStrategy: 'none',
  });
  try {
    const result = await explorer.search(folder);
    if (result === null || result.isEmpty === true) return { root: emptyMap, broken: false, problems: [] };
    return outcome(result.filepath, opened.get(result.filepath), cache);
  } catch (thrown) {
    const file = String((thrown as { filepath?: unknown }).filepath ?? path.join(folder, places[0] ?? ''));
    return outcome(file, thrown instanceof UnreadableFile ? thrown : new UnreadableFile(messageOf(thrown)), cache);
  }
}

async function readCached(file: string, text: string, cache: ReadCache): Promise<ReadFile | UnreadableFile> {
  const before = cache.get(file);
  if (before?.text === text) return before.read;
  try {
    const read = await readConfigText(text);
    cache.set(file, { text, read });
    return read;
  } catch (thrown) {
    if (thrown instanceof UnreadableFile) return thrown;
    return new UnreadableFile(`cannot be read: ${messageOf(thrown)}`);
  }
}

function isManifest(file: string): boolean {
  return path.basename(file) === 'package.json';
}

function configOf(read: ReadFile): ReadFile | undefined {
  const kern = read.root.entries.get('kern');
  const config = kern?.kind === 'map' ? kern.entries.get('config') : undefined;
  if (config === undefined) return undefined;
  return config.kind === 'map'
    ? { root: config, problems: read.problems }
    : { root: emptyMap, problems: [{ line: config.line, message: 'kern.config must be a map of settings' }] };
}

function outcome(
  file: string,
  read: ReadFile | UnreadableFile | undefined,
  cache: ReadCache,
): Omit<Found, 'shadowed' | 'places'> {
  if (read !== undefined && !(read instanceof UnreadableFile)) {
    return { file, root: read.root, broken: false, problems: read.problems.map((problem) => problemAt(file, problem)) };
  }
  const fault = read ?? new UnreadableFile('cannot be read');
  const before = cache.get(file)?.read;
  const kept = before === undefined ? undefined : isManifest(file) ? configOf(before) : before;
  if (kept !== undefined) {
    return {
      file,
      root: kept.root,
      broken: false,
      problems: [
        problemAt(file, { line: fault.line, message: `${fault.message}; what it said before stays in force` }),
      ],
    };
  }
  return {
    file,
    root: emptyMap,
    broken: true,
    problems: [problemAt(file, { line: fault.line, message: fault.message })],
  };
}

function problemAt(
  file: string,
  problem: { readonly line: number | undefined; readonly message: string },
): ConfigProblem {
  return problem.line === undefined
    ? { file, message: problem.message }
    : { file, line: problem.line, message: problem.message };
}

/** The project's places, without those that are the user's own because the project is the folder of kern's home. */
export function placesOfProject(root: string, home: string): readonly string[] {
  try {
    if (realpathSync.native(path.join(root, '.kern')) !== realpathSync.native(home)) return projectPlaces;
  } catch {
    return projectPlaces; // one of the two is not there, so they are not the same
  }
  return projectPlaces.filter((place) => !place.startsWith('.kern/'));
}
