import { join, relative, sep } from 'node:path';
import { type At, type Fields, type Files, isFields } from 'kern/contracts';
import { messageOf } from 'kern/plugin';

// A plugin as the Agent Plugins Specification 1.0.0 has it: https://agent-plugins.org. Nothing is fetched to read one.

/** A plugin whose manifest is in order. */
export interface AgentPlugin {
  readonly name: string;
  /** Its folder, without links. */
  readonly root: string;
  readonly manifest: Fields;
}

const schema = 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json';
const texts = ['version', 'description', 'homepage', 'repository', 'license'];
const known: ReadonlySet<string> = new Set(['$schema', 'name', ...texts, 'author', 'keywords', 'extensions']);
const namePattern = /^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** The plugin of a folder, or undefined: then what is wrong has been told, unless there is no manifest at all. */
export async function agentPluginAt(folder: string, files: Files): Promise<AgentPlugin | undefined> {
  const path = join(folder, 'plugin.json');
  if ((await files.kind(path)) === undefined) return undefined;
  const root = await files.real(folder);
  if (root === undefined || !(await isContained(path, root, files))) {
    files.warn(path, 'leads out of the plugin, which is left out');
    return undefined;
  }
  const data = await strictJson(path, files);
  if (data === undefined) return undefined;
  const wrong = manifestProblem(data);
  if (wrong !== undefined || !isFields(data)) {
    files.warn(path, `${wrong}; the plugin is left out`);
    return undefined;
  }
  for (const field of Object.keys(data))
    if (!known.has(field)) files.warn(path, `${field} is no field of a plugin, and is ignored`);
  if (data.extensions !== undefined && !isFields(data.extensions))
    files.warn(path, 'extensions is no map, and is ignored');
  const manifest = Object.entries(data).filter(
    ([field, value]) => known.has(field) && (field !== 'extensions' || isFields(value)),
  );
  return { name: String(data.name), root, manifest: Object.fromEntries(manifest) };
}

/** The plugins in the folders of one folder. */
export async function agentPluginsIn({ path, isFolder, files, make }: At): Promise<readonly AgentPlugin[]> {
  if (!isFolder) return [];
  const folders = (await make.below(path)).filter(({ kind }) => kind === 'folder');
  const found = await Promise.all(folders.map((folder) => agentPluginAt(folder.path, files)));
  return found.filter((plugin) => plugin !== undefined);
}

/** Whether a manifest says that it is one of an Agent Plugin, in order or not. */
export async function isAgentPlugin(folder: string, files: Files): Promise<boolean> {
  const path = join(folder, 'plugin.json');
  if ((await files.kind(path)) !== 'file') return false;
  const data = await files.json(path);
  return isFields(data) && typeof data.$schema === 'string' && data.$schema.startsWith('https://agent-plugins.org/');
}

function manifestProblem(data: unknown): string | undefined {
  if (!isFields(data)) return 'holds no map';
  if (data.$schema !== schema)
    return typeof data.$schema === 'string'
      ? `$schema is ${data.$schema}, which kern does not know; it reads ${schema}`
      : `$schema is missing: ${schema}`;
  if (typeof data.name !== 'string' || data.name.length > 64 || !namePattern.test(data.name))
    return 'name is not made of 1 to 64 small letters, digits, single hyphens and single periods';
  for (const field of texts)
    if (data[field] !== undefined && typeof data[field] !== 'string') return `${field} is no text`;
  if (data.keywords !== undefined && !isTextList(data.keywords)) return 'keywords is no list of texts';
  return data.author === undefined ? undefined : authorProblem(data.author);
}

function authorProblem(author: unknown): string | undefined {
  if (!isFields(author)) return 'author is no map';
  const strange = Object.entries(author).find(
    ([field, value]) => !['name', 'email', 'url'].includes(field) || typeof value !== 'string',
  );
  return strange === undefined ? undefined : `author.${strange[0]} is none of the texts name, email and url`;
}

export const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** JSON to the letter: no comments, and no commas at the end. */
export async function strictJson(path: string, files: Files): Promise<unknown> {
  const text = await files.text(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const why = `is no JSON: ${messageOf(error).replace(/, ?(?:\.\.\.)?".*$/s, '')}`;
    if (files.broken(path, why)) return strictJson(path, files);
    files.warn(path, why);
    return undefined;
  }
}

/** Whether a path is there and, behind its links, in the folder. */
export async function isContained(path: string, root: string, files: Files): Promise<boolean> {
  const real = await files.real(path);
  return real !== undefined && isIn(real, root);
}

export function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !/^(?:[A-Za-z]:|[\\/])/.test(way);
}
