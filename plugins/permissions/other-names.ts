import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Executables, noExecutables } from './executables.ts';
import { isWithin } from './paths.ts';
import { protectedPart } from './protected.ts';

/** As many names in protected folders are looked at. */
const mostLinks = 1_000;

/**
 * Whether a file is protected by another name than its own: a protected place of the project is a link that leads to it,
 * or it has names that nobody can look up. The name, or undefined.
 */
export function otherName(
  real: string,
  { root, kernHome, executables }: { root: string; kernHome: string; executables?: Executables | undefined },
): string | undefined {
  const linked = linksOf(root, kernHome, executables ?? noExecutables).find(({ target }) => isWithin(real, target));
  if (linked !== undefined) return linked.name;
  if (hasMoreNames(real)) return 'a hard link';
  return isOfBareRepository(real) ? 'a git repository' : undefined;
}

/** What is called as something protected, at the top of the project or in such a folder, and leads elsewhere. */
function linksOf(
  root: string,
  kernHome: string,
  executables: Executables,
): readonly { name: string; target: string }[] {
  let looked = 0;
  const found: { name: string; target: string }[] = [];
  const look = (folder: string, depth: number): void => {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (protectedPart(path, kernHome, executables) === undefined) continue;
      looked += 1;
      if (looked > mostLinks) return;
      if (entry.isSymbolicLink()) {
        const target = targetOf(path);
        if (target !== undefined) found.push({ name: entry.name, target });
      } else if (entry.isDirectory() && depth < 3 && mayHoldLinks(entry.name, folder)) look(path, depth + 1);
    }
  };
  look(root, 0);
  return found;
}

/** What git keeps is much, and nobody's to link; but for its hooks. */
function mayHoldLinks(name: string, folder: string): boolean {
  if (name === 'node_modules') return false;
  return basename(folder).toLowerCase() !== '.git' || name === 'hooks' || name === 'info';
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone, or not to be read: then nobody finds anything through it
  }
}

function targetOf(link: string): string | undefined {
  try {
    return realpathSync(link);
  } catch {
    return undefined; // leads nowhere; a write through it is judged by its own name
  }
}

/** What is written in place has every name of the file: one of them may run. */
function hasMoreNames(path: string): boolean {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.nlink > 1;
  } catch {
    return false; // not there yet
  }
}

/** A repository without a `.git` around it: its config and its hooks run as any. */
function isOfBareRepository(path: string): boolean {
  const folder = basename(dirname(path)).toLowerCase() === 'hooks' ? dirname(dirname(path)) : dirname(path);
  const isPart = folder !== dirname(path) || ['config', 'head', 'commondir'].includes(basename(path).toLowerCase());
  return isPart && existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects'));
}
