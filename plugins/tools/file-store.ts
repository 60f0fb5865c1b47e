import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileStore } from './contract.ts';
import { lockFile } from './file-lock.ts';
import { moveFile, removeFile } from './move-file.ts';
import { realPath } from './paths.ts';
import { replaceFile } from './replace-file.ts';

export interface FileStoreOptions {
  /** Where locks and safety copies lie. Without it the order holds in this process only. */
  readonly cache?: () => string;
  /** How long a change waits for another process. */
  readonly lockLimitMs?: number;
}

/** The files of this machine. The order of changes holds for everyone who shares the store, and for other kerns. */
export function createFileStore({ cache, lockLimitMs = 10_000 }: FileStoreOptions = {}): FileStore {
  const queues = new Map<string, Promise<unknown>>();
  const locked = async <T>(
    keyed: ReadonlyMap<string, string>,
    change: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> => {
    if (cache === undefined) return change();
    const folder = join(cache(), 'locks');
    const held: (() => Promise<void>)[] = [];
    try {
      for (const [key, path] of keyed) held.push(await lockFile({ key, path, folder, limitMs: lockLimitMs, signal }));
      return await change();
    } finally {
      for (const release of held.toReversed()) await release();
    }
  };
  return {
    async inOrder(paths, change, signal) {
      const all = typeof paths === 'string' ? [paths] : paths;
      // In one order for everybody: two that need the same two files never wait for each other.
      const keyed = new Map(all.map((path) => [keyOf(path), path] as const).sort(([a], [b]) => (a < b ? -1 : 1)));
      const earlier = [...keyed.keys()].map((key) => queues.get(key));
      const own = Promise.all(earlier).then(() => {
        signal?.throwIfAborted();
        return locked(keyed, change, signal);
      });
      const settled = own.catch(() => undefined);
      for (const key of keyed.keys()) queues.set(key, settled);
      try {
        return await own;
      } finally {
        for (const key of keyed.keys()) if (queues.get(key) === settled) queues.delete(key);
      }
    },
    replace: (path, bytes) => replaceFile(path, bytes, () => join(cache?.() ?? tmpdir(), 'kern-backups')),
    move: moveFile,
    remove: removeFile,
  };
}

/**
 * Equal for all names of a file: links followed; names that differ in case or in how their accents are written count as
 * one, as on volumes where they are. Elsewhere two such files wait for each other, which harms nobody.
 */
function keyOf(path: string): string {
  const real = realPath(path);
  try {
    const found = statSync(real);
    if (found.isFile() && found.nlink > 1) return `${found.dev}:${found.ino}`;
  } catch {
    // Not there yet, or not to be looked at: then its name is all there is.
  }
  return real.normalize('NFC').toLowerCase();
}
