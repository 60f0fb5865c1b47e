import { basename, dirname, extname, join, resolve } from 'node:path';
import type { CustomTool, ExtensionModule, FileEntry } from '../contract.ts';
import type { At, FormatName, FoundItems, FoundKind, Markdown } from '../places.ts';
import { type Folder, lookBelow } from './below.ts';
import { type HookFile, hookFile, hookModule, isModule } from './hooks.ts';
import { nameBelow, placeName, stemOf } from './make.ts';
import { type Fields, isFields, textOf, textsOf } from './scalars.ts';
import { readSshHosts } from './servers.ts';
import { agentOf, commandOf, contextFileOf, instructionOf, promptOf, ruleOf, systemPromptOf } from './texts.ts';

type Found = FoundItems[FoundKind];
type Read = (at: At, kind: FoundKind) => Promise<readonly Found[]>;

/** How the things of a place are read. */
export const formats: Readonly<Record<FormatName, Read>> = {
  text: async (at, kind) => {
    if (at.isFolder) {
      at.files.warn(at.path, 'is a folder, where a file is looked for');
      return [];
    }
    const markdown = await at.make.markdown(at.path);
    // An empty file says nothing, and takes no other's place.
    return markdown === undefined || markdown.head.body === '' ? [] : itemsOf(markdown, at, kind, at.options.name);
  },
  texts: async (at, kind) => {
    const endings = at.options.endings ?? (kind === 'rule' ? ['.md', '.mdc'] : ['.md']);
    const files = await filesIn(at, (name) => endings.some((ending) => name.endsWith(ending) && name !== ending));
    const found = await Promise.all(
      files.map(async ({ path }) => {
        const markdown = await at.make.markdown(path);
        if (markdown === undefined) return [];
        // Rules of one name in several folders are several rules.
        const isNamedByPlace =
          (at.options.deep ?? 0) > 0 &&
          (kind === 'slash-command' || (kind === 'rule' && dirname(path) !== at.path && at.isFolder));
        return itemsOf(markdown, at, kind, isNamedByPlace ? nameBelow(at.path, path) : undefined);
      }),
    );
    return found.flat();
  },
  skills: async (at) => {
    const found = await skillsBelow(at.path, at.options.deep ?? 0, at);
    const skills = await Promise.all(found.map((folder) => at.make.skill(folder)));
    return skills.filter((skill) => skill !== undefined);
  },
  data: async (at, kind) => {
    const data = await dataOf(at);
    if (data === undefined) return [];
    if (!isFields(data)) {
      at.files.warn(at.path, 'holds no map');
      return [];
    }
    if (kind === 'settings-file') return [{ name: at.options.name ?? basename(at.path), path: at.path, data }];
    const inside = dig(data, at.options.key ?? usualKeys[kind] ?? []);
    if (kind === 'mcp-server') return at.make.mcpServers(inside, at.path);
    if (kind === 'hook')
      return at.make.hooks(inside, at.path, at.options.hooks === undefined ? {} : { dialect: at.options.hooks });
    if (kind === 'ssh-host') return readSshHosts(inside, at.path, at.user, at.files.warn.bind(at.files));
    return [];
  },
  'hook-files': async (at) => {
    const file = (entry: FileEntry): HookFile => ({
      entry,
      name: placeName(entry.path, at),
      level: at.level,
      dialect: at.options.hooks,
    });
    const filesOf = async (folder: string): Promise<readonly FileEntry[]> =>
      (await at.make.below(folder)).filter(({ kind }) => kind === 'file');
    const found = await Promise.all(
      (['pre', 'post'] as const).map(async (when) =>
        (await filesOf(join(at.path, when))).map((entry) => hookFile(file(entry), when)),
      ),
    );
    const modules = (await filesOf(at.path)).filter(({ name }) => isModule(name));
    return [...found.flat(), ...modules.map((entry) => hookModule(file(entry)))];
  },
  'tool-files': async (at) => {
    const entries = await at.make.below(at.path);
    const found = await Promise.all(entries.map((entry) => toolOf(entry, at)));
    return found.filter((tool) => tool !== undefined);
  },
  modules: async (at) => {
    const entries = at.isFolder
      ? await at.make.below(at.path)
      : [{ name: basename(at.path), path: at.path, kind: 'file' as const }];
    const found = await Promise.all(entries.map((entry) => modulesOf(entry, at)));
    return found.flat();
  },
  'module-list': async (at) => {
    const data = await dataOf(at);
    const paths = isFields(data) ? textsOf(dig(data, at.options.key ?? 'extensions')) : [];
    const found = await Promise.all(paths.map((path) => listedModules(path, at)));
    return found.flat();
  },
  manifests: async (at) => {
    const entries = (await at.make.below(at.path)).filter(({ kind }) => kind === 'folder');
    const found = await Promise.all(
      entries.map(async ({ name, path }) => {
        const manifest = await at.files.json(join(path, 'gemini-extension.json'));
        return isFields(manifest) ? [{ name: textOf(manifest.name) ?? name, path, manifest }] : [];
      }),
    );
    return found.flat();
  },
};

/** Where things stand in a file of settings, unless the place says otherwise. */
const usualKeys: Partial<Readonly<Record<FoundKind, string>>> = {
  'mcp-server': 'mcpServers',
  hook: 'hooks',
  'ssh-host': 'hosts',
};

function itemsOf(markdown: Markdown, at: At, kind: FoundKind, given: string | undefined): readonly Found[] {
  const options = { ...at.options, ...(given === undefined ? {} : { name: given }) };
  switch (kind) {
    case 'context-file':
      return [contextFileOf(markdown, at)];
    case 'system-prompt':
      return [systemPromptOf(markdown, at)];
    case 'rule':
      return [ruleOf(markdown, options)];
    case 'prompt':
      return [promptOf(markdown, options)];
    case 'slash-command':
      return [commandOf(markdown, options)];
    case 'agent-definition':
      return [agentOf(markdown, options)];
    case 'instruction':
      return [instructionOf(markdown, options)];
    default:
      return [];
  }
}

async function filesIn(at: At, counts: (name: string) => boolean): Promise<readonly FileEntry[]> {
  if (!at.isFolder) return counts(basename(at.path)) ? [{ name: basename(at.path), path: at.path, kind: 'file' }] : [];
  const entries = await at.make.below(at.path, { depth: at.options.deep ?? 0 });
  return entries.filter(({ name, kind }) => kind === 'file' && counts(name));
}

/** Folders with a SKILL.md. What lies in a skill belongs to it, and is no other skill. */
async function skillsBelow(folder: string, depth: number, { files }: At): Promise<readonly string[]> {
  const skills = new Set<string>();
  const enters = async (path: string): Promise<boolean> => {
    if ((await files.kind(join(path, 'SKILL.md'))) !== 'file') return true;
    skills.add(path);
    return false;
  };
  const skillsIn = ({ entries, inside }: Folder): readonly string[] =>
    entries.flatMap(({ name, path }) => {
      const below = inside.get(name);
      return skills.has(path) ? [path] : below === undefined ? [] : skillsIn(below);
    });
  return skillsIn(await lookBelow(folder, { files, depth, enters }));
}

async function dataOf({ path, files }: At): Promise<unknown> {
  switch (extname(path)) {
    case '.toml':
      return files.toml(path);
    case '.yml':
    case '.yaml':
      return files.yaml(path);
    default:
      return files.json(path);
  }
}

/** What stands at `a.b`; of several keys at the first that has something. An empty key is the whole. */
export function dig(data: Fields, keys: string | readonly string[]): unknown {
  for (const key of typeof keys === 'string' ? [keys] : keys) {
    const parts = key === '' ? [] : key.split('.');
    const found = parts.reduce<unknown>(
      (inside, part) => (isFields(inside) && Object.hasOwn(inside, part) ? inside[part] : undefined),
      data,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

const programEndings: ReadonlySet<string> = new Set([
  '',
  '.sh',
  '.bash',
  '.zsh',
  '.fish',
  '.py',
  '.rb',
  '.pl',
  '.exe',
  '.cmd',
  '.bat',
  '.ps1',
]);

async function toolOf({ name, path, kind }: FileEntry, at: At): Promise<CustomTool | undefined> {
  if (kind === 'folder') {
    const index = await firstOf(path, ['index.ts', 'index.js', 'index.mjs'], at);
    return index === undefined ? undefined : { name, path: index, kind: 'module' };
  }
  if (isModule(name)) return { name: stemOf(name), path, kind: 'module' };
  return programEndings.has(extname(name)) ? { name: stemOf(name), path, kind: 'program' } : undefined;
}

async function modulesOf({ name, path, kind }: FileEntry, at: At): Promise<readonly ExtensionModule[]> {
  const dialect = at.options.extensions ?? 'kern';
  if (kind === 'file') return isModule(name) ? [{ name: stemOf(name), path, dialect }] : [];
  const manifest = await at.files.json(join(path, 'package.json'));
  const entries = isFields(manifest) ? entriesOf(manifest) : [];
  if (entries.length > 0) {
    const found = await Promise.all(
      entries.map(async (entry): Promise<ExtensionModule[]> => {
        const file = join(path, entry);
        if ((await at.files.kind(file)) === 'file')
          return [{ name: entries.length === 1 ? name : `${name}/${stemOf(basename(entry))}`, path: file, dialect }];
        at.files.warn(join(path, 'package.json'), `names the extension ${entry}, which is not there`);
        return [];
      }),
    );
    return found.flat();
  }
  const index = await firstOf(path, ['index.ts', 'index.js', 'index.mjs'], at);
  return index === undefined ? [] : [{ name, path: index, dialect }];
}

/** What a file of settings names: a module, a folder of one, or a folder of several. */
async function listedModules(written: string, at: At): Promise<readonly ExtensionModule[]> {
  // Others name packages, and take away with a sign before it.
  if (/^(?:[!+]|-|npm:|git:|https?:|builtin:)/.test(written)) return [];
  const path = written.startsWith('~/') ? join(at.user, written.slice(2)) : resolve(at.where.cwd, written);
  const kind = await at.files.kind(path);
  if (kind === undefined) {
    at.files.warn(at.path, `names the extension ${written}, which is not there`);
    return [];
  }
  const own = await modulesOf({ name: basename(path), path, kind }, at);
  if (own.length > 0 || kind === 'file') return own;
  const inside = await at.make.below(path);
  return (await Promise.all(inside.map((entry) => modulesOf(entry, at)))).flat();
}

/** The extensions that a package.json names, under the name of whichever agent it was written for. */
function entriesOf(manifest: Fields): readonly string[] {
  for (const agent of ['kern', 'pi', 'omp']) {
    const entries = textsOf(dig(manifest, `${agent}.extensions`));
    if (entries.length > 0) return entries;
  }
  return [];
}

async function firstOf(folder: string, names: readonly string[], at: At): Promise<string | undefined> {
  for (const name of names) if ((await at.files.kind(join(folder, name))) === 'file') return join(folder, name);
  return undefined;
}
