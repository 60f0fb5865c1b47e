import { basename, dirname, join } from 'node:path';
import type { SessionAppender, SessionHeader, SessionLock, SessionOwner, SessionStorage } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { headerLine } from './dialect.ts';
import { fileName, sessionId } from './names.ts';
import { reheaded } from './reheaded.ts';
import type { LinePort } from './writer.ts';

/** The session goes on in another file: what lay in `from` lies there too, `shift` bytes further. */
export interface Moved {
  readonly from: string;
  readonly file: string;
  readonly header: SessionHeader;
  readonly shift: number;
  /** Who has the file that was left. */
  readonly owner: SessionOwner | undefined;
}

/** Lines in place of those of a file. */
export interface Rewrite {
  readonly lines: Iterable<string>;
  /** They are there now. */
  done(): void;
}

export interface SessionFileParts {
  readonly storage: SessionStorage;
  readonly path: string;
  readonly header: SessionHeader;
  /** It must not be there yet. */
  readonly fresh: boolean;
  readonly lock?: SessionLock | undefined;
  /** Comes before the first line that is added; what the file was stays beside it, with this ending. */
  readonly rewrite?: { readonly ending: string; readonly begin: () => Rewrite } | undefined;
  readonly moved: (moved: Moved) => void;
  /** Something is wrong that a person has to know, though the lines are written. */
  readonly told: (problem: string) => void;
}

/**
 * A session file that is written at its end, by this process alone. Before every write it looks whether that is still
 * so: a file that was deleted is made again, and one that was replaced, or taken over by another process, is left to
 * whoever has it, and the session goes on in a copy.
 */
export class SessionFile implements LinePort {
  readonly #parts: SessionFileParts;
  #path: string;
  #header: SessionHeader;
  #isFresh: boolean;
  #lock: SessionLock | undefined;
  #rewrite: SessionFileParts['rewrite'];
  #appender: SessionAppender | undefined;
  /** Bytes that are meant to be there; what a failed write left behind lies after them. */
  #end = 0;
  #torn = 0;
  #needsNewline = false;

  constructor(parts: SessionFileParts) {
    this.#parts = parts;
    this.#path = parts.path;
    this.#header = parts.header;
    this.#isFresh = parts.fresh;
    this.#lock = parts.lock;
    this.#rewrite = parts.rewrite;
  }

  get path(): string {
    return this.#path;
  }

  get header(): SessionHeader {
    return this.#header;
  }

  async write(bytes: Buffer): Promise<number> {
    for (;;) {
      await this.#own();
      const appender = await this.#ready();
      const lead = this.#lead();
      const all = lead.length === 0 ? bytes : Buffer.concat([lead, bytes]);
      await this.#writeAll(appender, all);
      const at = await this.#settle(appender, all);
      if (at !== undefined) return at + lead.length;
    }
  }

  async sync(): Promise<void> {
    await this.#appender?.sync();
  }

  async close(): Promise<void> {
    const appender = this.#appender;
    this.#appender = undefined;
    try {
      await appender?.close();
    } finally {
      this.#lock?.release();
      this.#lock = undefined;
    }
  }

  /** What must come before the next line: the first one, or the end of one that has none. Nothing is cut off that is there. */
  #lead(): Buffer {
    if (this.#end === 0) return Buffer.from(headerLine(this.#header));
    return Buffer.from(this.#needsNewline ? '\n' : '');
  }

  async #own(): Promise<void> {
    const { storage } = this.#parts;
    if (storage.lock === undefined) return;
    const state = this.#lock?.state() ?? 'gone';
    if (state === 'held') return;
    if (state === 'gone') {
      const taken = await storage.lock(this.#path);
      this.#lock = taken.lock;
      if (taken.lock !== undefined) return;
      return this.#leave(`process ${taken.owner.pid} has the session open`, taken.owner);
    }
    this.#lock = undefined;
    const { lock, ...others } = await storage.lock(this.#path);
    // Whoever took it over has ended meanwhile, and has written behind what we know.
    lock?.release();
    return this.#leave('another process has taken the session over', 'owner' in others ? others.owner : undefined);
  }

  async #ready(): Promise<SessionAppender> {
    await this.#rewritten();
    let appender = this.#appender;
    if (appender === undefined) {
      appender = await this.#parts.storage.append(this.#path, this.#isFresh);
      this.#appender = appender;
      if (!this.#isFresh) await this.#find(appender);
      this.#isFresh = false;
    }
    const found = appender.look?.();
    if (found?.path === 'gone') return this.#restore(appender);
    if (found?.path === 'other') {
      await this.#leave('another file was put in its place', undefined);
      return this.#ready();
    }
    if (found !== undefined && found.size !== this.#end + this.#torn) {
      // Who has taken the session over has it since before it wrote.
      await this.#own();
      if (this.#appender !== appender) return this.#ready();
      await this.#adopt(found.size);
    }
    if (this.#torn > 0) await this.#cut(appender);
    return appender;
  }

  /** Where a file ends that was there before. */
  async #find(appender: SessionAppender): Promise<void> {
    this.#torn = 0;
    this.#end = appender.look?.().size ?? (await this.#parts.storage.size(this.#path)) ?? 0;
    this.#needsNewline = !this.#endsLine();
  }

  /** Another program has written, or cut, a file that is ours. What is there stays. */
  async #adopt(size: number): Promise<void> {
    const lost = this.#end - size;
    this.#torn = 0;
    this.#end = size;
    this.#needsNewline = !this.#endsLine();
    if (lost > 0)
      this.#parts.told(
        `${this.#path} was cut by another program: ${lost} bytes are gone; what is said from now on is added to what is left`,
      );
  }

  #endsLine(): boolean {
    return this.#end === 0 || this.#parts.storage.readSync(this.#path, this.#end - 1, 1)[0] === 0x0a;
  }

  async #writeAll(appender: SessionAppender, bytes: Buffer): Promise<void> {
    let at = 0;
    try {
      while (at < bytes.length) {
        const count = await appender.write(bytes.subarray(at));
        if (count <= 0) throw new Error('nothing more could be written');
        at += count;
      }
    } catch (error) {
      this.#torn += at;
      // No partial line stays if that can be helped; else it is cut off before the next write.
      if (at > 0) await this.#cut(appender).catch(() => {});
      throw error;
    }
  }

  /**
   * Where the bytes have come to lie. This process may have been stopped before they were written, for so long that
   * another one took the session over: then they stand behind its lines, and have to be written to our copy.
   */
  async #settle(appender: SessionAppender, bytes: Buffer): Promise<number | undefined> {
    const size = appender.look?.().size ?? this.#end + bytes.length;
    let at = this.#end;
    if (size !== at + bytes.length) {
      await this.#own();
      if (this.#appender !== appender) return undefined;
      const behind = this.#parts.storage.readSync(this.#path, at, size - at);
      const found = Buffer.from(behind.buffer, behind.byteOffset, behind.byteLength).indexOf(bytes);
      if (found === -1)
        throw new KernError('session_cut', `${this.#path} is changed by another program while it is written`);
      at += found;
    }
    this.#end = Math.max(size, at + bytes.length);
    this.#needsNewline = !(size === at + bytes.length || this.#endsLine());
    return at;
  }

  async #cut(appender: SessionAppender): Promise<void> {
    const size = appender.look?.().size;
    // Others may have written behind what was left: of theirs nothing is cut.
    if (size === undefined || size === this.#end + this.#torn) await appender.truncate(this.#end);
    else await this.#find(appender);
    this.#torn = 0;
  }

  /** The file was deleted: all that was in it is still to be had as long as it is open here. */
  async #restore(appender: SessionAppender): Promise<SessionAppender> {
    const { storage } = this.#parts;
    await storage.replace(this.#path, appender.content?.(this.#end) ?? []);
    this.#appender = undefined;
    await appender.close();
    return this.#ready();
  }

  /** Leaves the file to whoever has it, and goes on in a copy of what was written to it from here. */
  async #leave(why: string, owner: SessionOwner | undefined): Promise<void> {
    const { storage } = this.#parts;
    const from = this.#path;
    const timestamp = new Date().toISOString();
    const header = { ...this.#header, id: sessionId(), timestamp, parentSession: from };
    const file = join(dirname(from), fileName(timestamp, header.id));
    const appender = this.#appender;
    const lock = (await storage.lock?.(file))?.lock;
    let shift = 0;
    try {
      if (!this.#isFresh) {
        const content = appender?.content?.(this.#end) ?? storage.read(from);
        await storage.replace(
          file,
          reheaded(content, headerLine(header), (by) => {
            shift = by;
          }),
        );
      }
    } catch (error) {
      lock?.release();
      throw new KernError('session_left', `${why}, and no copy of ${basename(from)} can be made: ${String(error)}`, {
        cause: error,
      });
    }
    this.#path = file;
    this.#header = header;
    this.#lock = lock;
    this.#appender = undefined;
    this.#torn = 0;
    await appender?.close();
    this.#parts.moved({ from, file, header, shift, owner });
    this.#parts.told(`${why}: the session goes on in ${file}`);
  }

  async #rewritten(): Promise<void> {
    if (this.#rewrite === undefined) return;
    const { storage } = this.#parts;
    await this.#keepAside(this.#rewrite.ending);
    const { lines, done } = this.#rewrite.begin();
    await storage.replace(this.#path, lines);
    done();
    this.#rewrite = undefined;
  }

  /** A copy of the file as it is, under a name that is free. */
  async #keepAside(ending: string): Promise<void> {
    const { storage } = this.#parts;
    const size = await storage.size(this.#path);
    for (let nth = 1; ; nth += 1) {
      const aside = `${this.#path}.${ending}${nth === 1 ? '' : `.${nth}`}`;
      const found = await storage.size(aside);
      // Of a try that went no further than this.
      if (found === size) return;
      if (found === undefined) return storage.replace(aside, storage.read(this.#path));
    }
  }
}
