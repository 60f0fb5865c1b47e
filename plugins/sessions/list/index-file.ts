import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from 'kern/plugin';
import { type Indexed, isIndexed } from './indexed.ts';

/** Raised when what is kept of a file is something else: an older index is made anew. */
const version = 1;

/**
 * What is known of session files, by path. It is made from them, and only saves reading them: one that is missing,
 * broken or of another version is empty.
 */
export async function readIndex(file: string): Promise<Map<string, Indexed>> {
  try {
    const found: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof found !== 'object' || found === null || !('version' in found) || found.version !== version)
      return new Map();
    const files = 'files' in found && typeof found.files === 'object' && found.files !== null ? found.files : {};
    return new Map(Object.entries(files).filter((pair): pair is [string, Indexed] => isIndexed(pair[1])));
  } catch {
    // Not there yet, or cut off: the files themselves are read.
    return new Map();
  }
}

/** Whole or not at all, so that two processes may do it at once: what one of them did not know is read again. */
export async function writeIndex(file: string, files: ReadonlyMap<string, Indexed>): Promise<void> {
  const draft = `${file}.${process.pid}.${Math.random().toString(16).slice(2, 10)}.tmp`;
  try {
    await makeFolder(dirname(file), 0o700);
    await writeFile(draft, JSON.stringify({ version, files: Object.fromEntries(files) }), { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch {
    // A home that cannot be written costs the time of reading the files again.
    await rm(draft, { force: true }).catch(() => {});
  }
}
