import { basename, extname, join } from 'node:path';
import { visible } from 'kern/plugin';
import type { DiscoveryFiles, Files } from '../contract.ts';
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
  const may = async (path: string): Promise<boolean> => {
    const why = await whyNotRead(path, files, place);
    if (why !== undefined) files.warn(path, why);
    return why === undefined;
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
    list: async (folder) => ((await may(folder)) ? files.list(folder) : []),
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
): Promise<string | undefined> {
  const real = await files.real(path);
  // Not there, or nobody can tell: then it cannot be read either, which whoever reads it says.
  if (real === undefined) return undefined;
  const through = async (folder: string): Promise<string> => (await files.real(folder)) ?? folder;
  const home = await through(where.home);
  const kind = await files.kind(path);
  const secret = kind === 'file' ? (secretIn(path, where.home) ?? secretIn(real, home)) : undefined;
  if (secret !== undefined)
    return `${real === path ? '' : `leads to ${visible(real)}, which `}holds secrets (${secret}), and is not read for the model: remove it from what agents are told`;
  if (level === 'user') return undefined;
  if (isBelow(real, await through(where.root)) || isBelow(real, await through(base))) return undefined;
  const own = [home, ...(await Promise.all(agentFolders.map((name) => through(join(user, name)))))];
  const isText = kind === 'folder' || ['.md', '.mdc'].includes(extname(real));
  if (isText && own.some((folder) => isBelow(real, folder))) return undefined;
  return `leads out of the project, to ${visible(real)}, and is not read: put a copy of ${basename(real)} into the project, or into a folder of your own such as ~/.agents`;
}
