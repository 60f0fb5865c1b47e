import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type ignorePackage from 'ignore';

/** Files with rules, the strongest first; then come git's own two places. */
const ruleFiles = ['.rgignore', '.ignore', '.gitignore'] as const;

/** What is known of ignored files in a folder. */
export interface IgnoreRules {
  /** Rules of a folder below, from the names that are in it. */
  below(folder: string, names: ReadonlySet<string>): IgnoreRules;
  /** Whether `name`, in `folder`, is left out. */
  ignores(folder: string, name: string, isFolder: boolean): boolean;
}

type Ignore = ReturnType<typeof ignorePackage>;

/** The rules that stand in one folder. */
interface Level {
  readonly folder: string;
  readonly isTop: boolean;
  readonly rules: ReadonlyMap<string, Rules>;
  readonly above: Level | undefined;
}

/**
 * The rules that hold in `root`: those of the folders above it as well, `.gitignore` up to the top of the repository.
 * Where the folder is itself ignored, whoever named it wants what is in it: then what stands above does not count.
 */
export async function rulesFor(
  root: string,
): Promise<{ readonly rules: IgnoreRules; readonly isRootIgnored: boolean }> {
  const { default: ignore } = await import('ignore');
  const read = reader(ignore);
  const base = levelOf(read, dirname(root), undefined, true);
  const everywhere = globalRules(read);
  const above = rulesOf(read, base, root, everywhere);
  const isRootIgnored = dirname(root) !== root && (isIgnoredWithin(above, base, root) || areAllIgnored(above, root));
  return { rules: rulesOf(read, isRootIgnored ? undefined : base, root, everywhere), isRootIgnored };
}

function rulesOf(read: Read, level: Level | undefined, root: string, everywhere: Rules | undefined): IgnoreRules {
  return {
    below(folder, names) {
      const has = (name: string): boolean => names.has(name);
      if (!has('.git') && !ruleFiles.some(has))
        return rulesOf(read, level, root, everywhere) === undefined ? this : this;
      return rulesOf(read, levelHere(read, folder, level, has), root, everywhere);
    },
    ignores: (folder, name, isFolder) => isIgnored(level, everywhere, root, join(folder, name), isFolder),
  };
}
