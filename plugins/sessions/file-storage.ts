import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SessionAppender, SessionStorage } from 'kern/contracts';
import { codeOf, KernError, makeFolder } from 'kern/plugin';
import { type HeldLocks, takeLockInTime } from './lock.ts';
import { randomHex } from './names.ts';
import { writeFault } from './write-fault.ts';

const chunkBytes = 512 * 1024;

/** Sessions as files of this machine, private to their owner. */
export function fileStorage(held: HeldLocks): SessionStorage {
  return {
    id: 'file',
    async size(path) {
      const found = await stat(path).catch(absent);
      if (found !== undefined && !found.isFile()) throw notAFile(path);
      return found?.size;
    },
    readSync(path, at, length) {
      const fd = openSync(path, 'r');
      try {
        // What is asked for beyond the end costs no memory.
        const bytes = Buffer.allocUnsafe(Math.min(length, Math.max(0, fstatSync(fd).size - at)));
        let read = 0;
        while (read < bytes.length) {
          const count = readSync(fd, bytes, read, bytes.length - read, at + read);
          if (count === 0) break;
          read += count;
        }
        return bytes.subarray(0, read);
      } finally {
        closeSync(fd);
      }
    },
    async *read(path, signal) {
      const handle = await open(path, 'r');
      try {
        yield* chunksOf(handle, Number.POSITIVE_INFINITY, signal);
      } finally {
        await handle.close();
      }
    },
    append: appendTo,
    replace: replaceFile,
    async list(folder) {
      const found = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [];
      return found.flatMap((entry) => {
        if (!entry.name.endsWith('.jsonl')) return [];
        const path = join(folder, entry.name);
        // By the one call that needs no thread: of thousands the others take three times as long.
        const { size, mtimeMs, isFile } = look(path);
        return isFile ? [{ path, size, modifiedMs: mtimeMs }] : [];
      });
    },
    async remove(path) {
      await rm(path, { force: true });
    },
    refusal: (path) => refusalOf(dirname(path)),
    lock: (path) => inFolder(path, () => takeLockInTime(lockOf(path), held)),
  };
}

/** Makes the folder of a path only when it is missed: most are there, and each look takes a thread its while. */
async function inFolder<T>(path: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await makeFolder(dirname(path), 0o700);
    return make();
  }
}

/** Looks at the folder, or at the one in which it would be made. */
function refusalOf(folder: string): string | undefined {
  for (let next = folder; ; next = dirname(next)) {
    try {
      const found: Stats | undefined = statSync(next, { throwIfNoEntry: false });
      if (found !== undefined) {
        if (!found.isDirectory()) return `${next} is not a folder`;
        accessSync(next, constants.W_OK | constants.X_OK);
        return undefined;
      }
    } catch (error) {
      // Of what lies in a file the file itself says what is wrong.
      if (codeOf(error) !== 'ENOTDIR') return writeFault(error, folder);
    }
    if (dirname(next) === next) return undefined;
  }
}

/** The lock of a session lies beside it. */
export const lockOf = (path: string): string => `${path}.lock`;

function look(path: string): { readonly size: number; readonly mtimeMs: number; readonly isFile: boolean } {
  const found = statSync(path, { throwIfNoEntry: false });
  return { size: found?.size ?? 0, mtimeMs: found?.mtimeMs ?? 0, isFile: found?.isFile() ?? false };
}

/** Private, and never through a link that somebody put in its place. */
async function appendTo(path: string, fresh: boolean): Promise<SessionAppender> {
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
  const handle = fresh
    ? await inFolder(path, () => open(path, flags | O_CREAT | O_EXCL, 0o600))
    : await open(path, flags);
  const { ino, dev, isFile } = fstatOf(handle);
  if (!isFile) {
    await handle.close();
    throw notAFile(path);
  }
  return {
    async write(bytes) {
      return (await handle.write(bytes, 0, bytes.length)).bytesWritten;
    },
    truncate: (size) => handle.truncate(size),
    sync: () => handle.datasync(),
    close: () => handle.close(),
    look() {
      const { size } = fstatOf(handle);
      const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (found === undefined) return { path: 'gone', size };
      return { path: found.ino === ino && found.dev === dev ? 'same' : 'other', size };
    },
    content: (length) => chunksOf(handle, length),
  };
}

function fstatOf(handle: FileHandle): {
  readonly ino: bigint;
  readonly dev: bigint;
  readonly size: number;
  readonly isFile: boolean;
} {
  const found = fstatSync(handle.fd, { bigint: true });
  return { ino: found.ino, dev: found.dev, size: Number(found.size), isFile: found.isFile() };
}

async function* chunksOf(handle: FileHandle, length: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; ) {
    signal?.throwIfAborted();
    // One of its own each: whoever reads may keep it.
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, length - at));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Written beside, forced to the disk, and put in its place: a crash leaves the old or the new. */
export async function replaceFile(
  path: string,
  content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder, 0o700);
  const draft = `${path}.${randomHex(4)}.tmp`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
  await syncFolder(folder);
}

/** So that the new name is on the disk too. Some systems open no folders, and keep names safe by themselves. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

function absent(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
  throw error;
}

const notAFile = (path: string): KernError =>
  new KernError('session_unreadable', `${path} is not a file`, { hint: 'name the .jsonl file of a session' });
