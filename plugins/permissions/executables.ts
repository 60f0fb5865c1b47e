import { join } from 'node:path';
import type { PlacesTable } from 'kern/contracts';
import { canonical, slashed } from './paths.ts';

/** Where something stands that this or another agent would run later. */
export interface Executables {
  /** Parts of a path, in lower case, wherever they stand: `.claude`, `.github/prompts`, `opencode.json`. */
  readonly anywhere: readonly (readonly string[])[];
  /** Absolute and canonical: the person's own places, those that the environment names included. */
  readonly own: readonly string[];
}

export const noExecutables: Executables = { anywhere: [], own: [] };

/** Kinds of what runs, or is followed with rights of its own. Texts that only inform are not among them. */
const running: ReadonlySet<string> = new Set([
  'hook',
  'mcp-server',
  'custom-tool',
  'extension-module',
  'extension-manifest',
  'settings-file',
  'agent-definition',
  'skill',
  'slash-command',
  'prompt',
  'ssh-host',
]);

/** Folders that hold much else. */
const shared: ReadonlySet<string> = new Set(['.github', '.config', '.local', '.vscode']);

/** From the tables of the providers, so that whoever reads a new dialect guards it by that. */
export function executablesOf(
  tables: readonly PlacesTable[],
  { user, env = process.env }: { readonly user: string; readonly env?: Readonly<Record<string, string | undefined>> },
): Executables {
  const anywhere = new Map<string, readonly string[]>();
  const own = new Set<string>();
  for (const { places, folders = {} } of tables) {
    for (const { kind, path } of places) {
      if (!running.has(kind)) continue;
      for (const name of [path].flat()) {
        if (name.startsWith('~/')) own.add(join(user, ...reduced(name.slice(2))));
        else if (!name.startsWith('$')) anywhere.set(name, reduced(name.toLowerCase()));
        for (const [variable, folder] of Object.entries(folders)) {
          const given = env[variable];
          if (given !== undefined && given !== '' && name.startsWith(`${folder}/`))
            own.add(given.startsWith('~/') ? join(user, given.slice(2)) : given);
        }
      }
    }
  }
  return { anywhere: distinct([...anywhere.values()]), own: [...own].map((path) => canonical(path) ?? path) };
}

/** Of an agent's folder the whole: what it reads from there next year is guarded too. */
function reduced(name: string): readonly string[] {
  const parts = slashed(name)
    .split('/')
    .filter((part) => part !== '');
  const [top = ''] = parts;
  if (shared.has(top)) return parts.slice(0, 2);
  return top.startsWith('.') ? [top] : parts;
}

const distinct = (ways: readonly (readonly string[])[]): Executables['anywhere'] => [
  ...new Map(ways.map((way) => [way.join('/'), way])).values(),
];
