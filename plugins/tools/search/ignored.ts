import { lstatSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type ignorePackage from 'ignore';

/** Which files of a folder are left out of a search. */
export interface IgnoreRules {
  /** The rules of a folder, given those of the folder above it and the names that are in it. */
  in(folder: string, names: ReadonlySet<string>): IgnoreRules;
  /** Whether the file or folder at this absolute path is left out. */
  ignores(path: string, isFolder: boolean): boolean;
}

export interface RootRules {
  readonly rules: IgnoreRules;
  /** The folder is itself ignored, or all that can be in it: whoever names it wants it, so what stands above does not count. */
  readonly isRootIgnored: boolean;
  /** The folder belongs to a repository. */
  readonly isInRepository: boolean;
}

/** Where rules stand, the strongest first. `exclude` is the file in `.git/info`. */
const kinds = ['.rgignore', '.ignore', '.gitignore', 'exclude'] as const;
type Kind = (typeof kinds)[number];

/** A file with rules that is larger than this is none. */
const largestFile = 1024 * 1024;

/** The rules of one folder, above which others may stand. */
interface Level {
  readonly folder: string;
  /** git's rules of folders above do not reach into a repository. */
  readonly isRepository: boolean;
  readonly rules: ReadonlyMap<Kind, Rules>;
  readonly above: Level | undefined;
}

/** What one file of rules says of a path below its folder. */
interface Rules {
  says(path: string): 'ignored' | 'kept' | undefined;
}

/** The rules that reach a folder from above: `root` is a real path. */
export async function rulesAbove(root: string): Promise<RootRules> {
  const { default: ignore } = await import('ignore');
  const read: Read = (file) => readRules(ignore, file);
  const everywhere = read(globalFile());
  const above = foldersAbove(root).reduce<Level | undefined>(
    (level, folder) => levelOf(read, folder, level, (name) => isThere(join(folder, name))),
    undefined,
  );
  const said = createRules(read, above, everywhere, root);
  // A name that no rule is about: only one that is about all names says anything of it.
  const isRootIgnored = said.ignores(root, true) || said.ignores(join(root, '\u0001'), true);
  return {
    rules: isRootIgnored ? createRules(read, undefined, everywhere, root) : said,
    isRootIgnored,
    isInRepository: [...foldersAbove(root), root].some((folder) => isThere(join(folder, '.git'))),
  };
}

/** No rules: everything is there. */
export const noRules: IgnoreRules = { in: () => noRules, ignores: () => false };

function createRules(read: Read, level: Level | undefined, everywhere: Rules | undefined, root: string): IgnoreRules {
  const rules: IgnoreRules = {
    in(folder, names) {
      const here = levelOf(read, folder, level, (name) => names.has(name));
      return here === level ? rules : createRules(read, here, everywhere, root);
    },
    ignores(path, isFolder) {
      const isRoot = path === root;
      const said =
        saidOf(level, path, isFolder) ?? (isRoot ? undefined : everywhere?.says(below(root, path, isFolder)));
      return said === 'ignored';
    },
  };
  return rules;
}

/** The nearest file of the strongest kind that says anything. */
function saidOf(level: Level | undefined, path: string, isFolder: boolean): 'ignored' | 'kept' | undefined {
  for (const kind of kinds) {
    const isGit = kind === '.gitignore' || kind === 'exclude';
    for (let at = level; at !== undefined; at = at.above) {
      const said = at.rules.get(kind)?.says(below(at.folder, path, isFolder));
      if (said !== undefined) return said;
      if (isGit && at.isRepository) break;
    }
  }
  return undefined;
}

function below(folder: string, path: string, isFolder: boolean): string {
  const from = folder.endsWith('/') ? folder.length : folder.length + 1;
  return isFolder ? `${path.slice(from)}/` : path.slice(from);
}

type Read = (file: string) => Rules | undefined;

/** The level of a folder, or the one above where nothing stands in it. */
function levelOf(
  read: Read,
  folder: string,
  above: Level | undefined,
  has: (name: string) => boolean,
): Level | undefined {
  const isRepository = has('.git');
  const files = kinds.flatMap((kind): [Kind, string][] => {
    if (kind === 'exclude') return isRepository ? [[kind, join(gitFolder(folder), 'info', 'exclude')]] : [];
    return has(kind) ? [[kind, join(folder, kind)]] : [];
  });
  const rules = new Map(
    files.flatMap(([kind, file]) => {
      const found = read(file);
      return found === undefined ? [] : [[kind, found] as const];
    }),
  );
  return rules.size === 0 && !isRepository ? above : { folder, isRepository, rules, above };
}

/** In a worktree or a submodule `.git` is a file that names the folder. */
function gitFolder(folder: string): string {
  const git = join(folder, '.git');
  const named = textOf(git)?.match(/^gitdir: (.+?)\r?\n?$/)?.[1];
  if (named === undefined) return git;
  const own = resolve(folder, named);
  const common = textOf(join(own, 'commondir'))?.trim();
  return common === undefined || common === '' ? own : resolve(own, common);
}

/** The file of rules that the user gave git for all repositories. */
function globalFile(): string {
  const home = homedir();
  const xdg = process.env.XDG_CONFIG_HOME;
  const config = xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, '.config');
  for (const file of [join(home, '.gitconfig'), join(config, 'git', 'config')]) {
    const named = textOf(file)?.match(/^\s*excludesfile\s*=\s*"?\s*(\S+?)\s*"?\s*$/im)?.[1];
    if (named !== undefined) return named.startsWith('~/') ? join(home, named.slice(2)) : named;
  }
  return join(config, 'git', 'ignore');
}

function readRules(ignore: typeof ignorePackage, file: string): Rules | undefined {
  const text = textOf(file);
  if (text === undefined || text.trim() === '') return undefined;
  const create = (): ReturnType<typeof ignore> => ignore({ ignoreCase: false });
  let rules = create().add(text);
  let asked = 0;
  return {
    says(path) {
      // It remembers every path it was asked about; the rules can be handed on without that.
      asked += 1;
      if (asked % 10_000 === 0) rules = create().add(rules);
      const { ignored, unignored } = rules.test(path);
      return ignored ? 'ignored' : unignored ? 'kept' : undefined;
    },
  };
}

/** A small plain file, or nothing: whatever else goes by the name of a file of rules has none. */
function textOf(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size <= largestFile ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** From the top down, without the folder itself. */
function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [] : [...foldersAbove(above), above];
}
