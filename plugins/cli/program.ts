import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { KernError } from 'kern/plugin';

/** kern itself: where its package lies, which version it is, and whether it runs from its sources. */
export interface Program {
  readonly root: string;
  readonly version: string;
  readonly fromSource: boolean;
}

/** The package that a file of ours belongs to: it may run from its folder, or from a chunk somewhere in dist/. */
export function findProgram(url: string = import.meta.url): Program {
  const here = fileURLToPath(url);
  for (let folder = path.dirname(here); ; folder = path.dirname(folder)) {
    const version = versionIn(path.join(folder, 'package.json'));
    if (version !== undefined) return { root: folder, version, fromSource: here.endsWith('.ts') };
    if (folder === path.dirname(folder)) {
      throw new KernError('program_lost', `kern does not find its own package.json above ${here}`, {
        hint: 'Install it again.',
      });
    }
  }
}

function versionIn(file: string): string | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown; version?: unknown };
    return name === 'kern' && typeof version === 'string' ? version : undefined;
  } catch {
    return undefined; // not there
  }
}
