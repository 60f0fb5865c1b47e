import type { SessionStorage } from 'kern/contracts';
import { KernError } from 'kern/plugin';

/** What a session in memory is: its bytes, with room behind them. */
export interface MemoryFile {
  bytes: Buffer;
  size: number;
  modifiedMs: number;
}

/** Sessions that end with the process. `files` is what they are kept in. */
export function memoryStorage(files: Map<string, MemoryFile>): SessionStorage {
  const at = (path: string): MemoryFile => {
    const file = files.get(path);
    if (file !== undefined) return file;
    throw new KernError('session_not_found', `there is no session ${path} in memory`);
  };
  const add = (file: MemoryFile, bytes: Uint8Array): void => {
    const size = file.size + bytes.length;
    if (size > file.bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(size, file.bytes.length * 2, 4_096));
      file.bytes.copy(grown, 0, 0, file.size);
      file.bytes = grown;
    }
    file.bytes.set(bytes, file.size);
    file.size = size;
    file.modifiedMs = Date.now();
  };
  return {
    id: 'memory',
    size: async (path) => files.get(path)?.size,
    readSync(path, from, length) {
      const { bytes, size } = at(path);
      return Uint8Array.prototype.slice.call(bytes, from, Math.min(size, from + length));
    },
    async *read(path) {
      const { bytes, size } = at(path);
      yield Uint8Array.prototype.slice.call(bytes, 0, size);
    },
    async append(path, fresh) {
      if (fresh) {
        if (files.has(path)) throw new KernError('session_exists', `there is a session ${path} already`);
        files.set(path, { bytes: Buffer.alloc(0), size: 0, modifiedMs: Date.now() });
      }
      const file = at(path);
      return {
        async write(bytes) {
          add(file, bytes);
          return bytes.length;
        },
        async truncate(size) {
          file.size = Math.min(file.size, size);
        },
        sync: async () => {},
        close: async () => {},
      };
    },
    async replace(path, content) {
      const file = { bytes: Buffer.alloc(0), size: 0, modifiedMs: Date.now() };
      for await (const part of content) add(file, typeof part === 'string' ? Buffer.from(part) : part);
      files.set(path, file);
    },
    async list(folder) {
      const start = /[/\\]$/.test(folder) ? folder : `${folder}/`;
      return [...files]
        .filter(([path]) => path.startsWith(start) && !/[/\\]/.test(path.slice(start.length)))
        .map(([path, { size, modifiedMs }]) => ({ path, size, modifiedMs }));
    },
    async remove(path) {
      files.delete(path);
    },
  };
}
