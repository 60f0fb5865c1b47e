import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The beginning of a file, if it is one: settings, or what a neighbour looks like. Never waits for a pipe. */
export async function startOfFile(path: string, bytes: number): Promise<Buffer | undefined> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isFile()) return undefined;
      const start = Buffer.alloc(bytes);
      const { bytesRead } = await handle.read(start, 0, bytes, 0);
      return start.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return undefined; // not there, or not ours to read: it says nothing
  }
}

/** A file of settings; nobody writes larger ones. */
export async function smallFile(path: string): Promise<string | undefined> {
  const bytes = await startOfFile(path, 64 * 1024);
  return bytes?.toString('utf8').replace(/^\ufeff/, '');
}
