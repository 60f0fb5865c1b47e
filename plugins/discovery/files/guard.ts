import { basename, extname, join } from 'node:path';
import { visible } from 'kern/plugin';
import type { DiscoveryFiles, FileEntry, Files } from '../contract.ts';
import type { At, FoundKind } from '../places.ts';
import { isBelow } from './walk.ts';

/** Kinds whose texts the model is told. */
export const told: ReadonlySet<FoundKind> = new Set<FoundKind>([
  'context-file',
  'skill',
  'rule',
  'prompt',
  'slash-command',
  'instruction',
  'system-prompt',
  'agent-definition',
]);

/** In the person's folder: what agents read there. A project may link to such texts, and to nothing else of the person. */
const agentFolders = [
  '.agent',
  '.agents',
  '.claude',
  '.cline',
  '.codeium/windsurf',
  '.codex',
  '.config/agents',
  '.config/opencode',
  '.copilot',
  '.cursor',
  '.gemini',
  '.kern',
  '.omp/agent',
  '.pi/agent',
  'Documents/Cline',
];

type Place = Pick<At, 'level' | 'base' | 'user' | 'where'> & Pick<DiscoveryFiles, 'secretIn'>;

/**
 * The files of a place whose texts the model is told, before anybody trusts anything. A project has only what really lies in
 * it: a link would put whatever the person can read into the prompt. What is a secret is read for nobody.
 */
export function guarded(files: Files, place: Place): Files {
  /** Where things really are: the same few folders are asked for with every file. */
  const reals = new Map<string, Promise<string | undefined>>();
  const realOf = (path: string): Promise<string | undefined> => {
    const known = reals.get(path) ?? files.real(path);
    reals.set(path, known);
    return known;
  };
  const may = async (path: string): Promise<boolean> => {
    const why = await whyNotRead(path, files, place, realOf);
    if (why !== undefined) files.warn(path, why);
    return why === undefined;
  };
  const list = async (folder: string): Promise<readonly FileEntry[]> => {
    if (!(await may(folder))) return [];
    const entries = await files.list(folder);
    const real = await realOf(folder);
    // What is no link lies where its folder does.
    if (real !== undefined)
      for (const { path, name, isLink } of entries)
        if (isLink !== true) reals.set(path, Promise.resolve(join(real, name)));
    return entries;
  };
  return {
    get warnings() {
      return files.warnings;
    },
    get watch() {
      return files.watch;
    },
    warn: (path, why) => files.warn(path, why),
    kind: (path) => files.kind(path),
    mark: (path) => files.mark(path),
    broken: (path, why) => files.broken(path, why),
    has: (folder, name) => files.has(folder, name),
    list,
    real: (path) => files.real(path),
    text: async (path, options) => ((await may(path)) ? files.text(path, options) : undefined),
    json: async (path) => ((await may(path)) ? files.json(path) : undefined),
    yaml: async (path) => ((await may(path)) ? files.yaml(path) : undefined),
    toml: async (path) => ((await may(path)) ? files.toml(path) : undefined),
    head: async (path) => ((await may(path)) ? files.head(path) : undefined),
  };
}

async function whyNotRead(
  path: string,
  files: Files,
  { level, base, user, where, secretIn }: Place,
  realOf: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  const through = async (folder: string): Promise<string> => (await realOf(folder)) ?? folder;
  const real = await realOf(path);
  // Not there, or nobody can tell: then it cannot be read either, which whoever reads it says.
  if (real === undefined) return undefined;
  const home = await through(where.home);
  // A look costs more than words: hardly any path has those of a secret.
  const secret = secretIn(path, where.home) ?? secretIn(real, home);
  if (secret !== undefined && (await files.kind(path)) === 'file')
    return `${real === path ? '' : `leads to ${visible(real)}, which `}holds secrets (${secret}), and is not read for the model: remove it from what agents are told`;
  if (level === 'user') return undefined;
  if (isBelow(real, await through(where.root)) || isBelow(real, await through(base))) return undefined;
  const own = [home, ...(await Promise.all(agentFolders.map((name) => through(join(user, name)))))];
  const isText = (await files.kind(path)) === 'folder' || ['.md', '.mdc'].includes(extname(real));
  if (isText && own.some((folder) => isBelow(real, folder))) return undefined;
  return `leads out of the project, to ${visible(real)}, and is not read: put a copy of ${basename(real)} into the project, or into a folder of your own such as ~/.agents`;
}
