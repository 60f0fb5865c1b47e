import { close, constants, open, read, readdir, realpath, type Stats, stat } from 'node:fs';
import { promisify } from 'node:util';
import { codeOf } from 'kern/plugin';
import type { FileFacts, FilePort } from './types.ts';

// The callback face: a file handle of `fs/promises` costs three times as much, and hundreds of small files are read.
const [statNow, listNow, openNow, readNow, closeNow, realNow] = [
  promisify(stat),
  promisify(readdir),
  promisify(open),
  promisify(read),
  promisify(close),
  promisify(realpath.native),
];

/** The file system of this machine. */
export const systemPort: FilePort = {
  async look(path) {
    try {
      return factsOf(await statNow(path));
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw error;
    }
  },
  async names(folder) {
    const entries = await listNow(folder, { withFileTypes: true });
    return entries.map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other',
    }));
  },
  async bytes(file, limit) {
    // O_NONBLOCK: what was a file a moment ago may be a pipe by now, and opening that would wait for a writer.
    const handle = await openNow(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return await readUpTo(handle, limit);
    } finally {
      await closeNow(handle);
    }
  },
  real: (path) => realNow(path),
};

function factsOf(stats: Stats): FileFacts {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    size: stats.size,
    mark: `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`,
    isRecent: Math.abs(Date.now() - stats.ctimeMs) < tickMs,
  };
}

/** Linux stamps files by the tick of its clock, 1 to 10 ms. */
const tickMs = 20;

const step = 16 * 1024;

async function readUpTo(handle: number, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (let total = 0; total < limit; ) {
    const size = Math.min(step, limit - total);
    const { bytesRead, buffer } = await readNow(handle, Buffer.allocUnsafe(size), 0, size, -1);
    parts.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    // A plain file is at its end when it gives less than was asked for; what grows meanwhile is read next time.
    if (bytesRead < size) break;
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}
