import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from 'kern/plugin';
import { randomHex } from './names.ts';

const prefix = 'blob:sha256:';
const reference = /^blob:sha256:([0-9a-f]{64})$/;

/** Content that an entry refers to, and that has to be there before the entry is. */
export interface Blob {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** A line as it is written, and what it refers to. */
export interface Lightened {
  readonly line: string;
  readonly blobs: readonly Blob[];
}

/**
 * Content by its SHA-256, one file each, for all sessions together. pi and oh-my-pi do not look here: what is small
 * stays in the session file, where they read it.
 */
export class Blobs {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = join(home, 'blobs');
  }

  /** Undefined when it is gone. */
  readonly read = (sha256: string): Uint8Array | undefined => {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    try {
      return readFileSync(join(this.#folder, sha256));
    } catch {
      // Whoever asks keeps the reference, and tells.
      return undefined;
    }
  };

  /** Whole or not at all, and once for all who refer to it. */
  async write({ sha256, bytes }: Blob): Promise<void> {
    const file = join(this.#folder, sha256);
    if (existsSync(file)) return;
    await makeFolder(this.#folder, 0o700);
    const draft = `${file}.${randomHex(4)}.tmp`;
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    } catch (error) {
      await unlink(draft).catch(() => {});
      throw error;
    }
  }

  /** What is longer than the limit is taken out of a line: images as their bytes, texts as UTF-8. Most lines are not looked through. */
  lighten(line: string, limit: number): Lightened {
    if (line.length <= limit && !line.includes(`"${prefix}`)) return { line, blobs: [] };
    const blobs: Blob[] = [];
    const take = (bytes: Uint8Array): string => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      blobs.push({ sha256, bytes });
      return prefix + sha256;
    };
    const text = (text: string, isImage: boolean): string => {
      if (text.length <= limit) return this.#readsAsOther(text) ? take(Buffer.from(text)) : text;
      if (!isImage) return text.isWellFormed() ? take(Buffer.from(text)) : text;
      const bytes = Buffer.from(text, 'base64');
      // What another spelling of base64 says would come back in ours.
      return bytes.toString('base64') === text ? take(bytes) : text;
    };
    const walk = (item: unknown, isImage: boolean): unknown => {
      if (typeof item === 'string') return text(item, isImage);
      if (Array.isArray(item)) return item.map((one: unknown) => walk(one, false));
      if (typeof item !== 'object' || item === null) return item;
      const holdsImage = 'type' in item && item.type === 'image';
      return Object.fromEntries(
        Object.entries(item).map(([key, one]) => [key, walk(one, holdsImage && key === 'data')]),
      );
    };
    const light = walk(JSON.parse(line), false);
    return { line: blobs.length === 0 ? line : JSON.stringify(light), blobs };
  }

  /** A text that looks like a reference to something that is there would be read as that. */
  #readsAsOther(text: string): boolean {
    const sha256 = reference.exec(text)?.[1];
    return sha256 !== undefined && existsSync(join(this.#folder, sha256));
  }
}
