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
  /** The id that it had. */
  readonly previous: string;
  readonly shift: number;
  /** Who has the file that was left. */
  readonly owner: SessionOwner | undefined;
}

/** Lines in place of those of a file. */
export interface Rewrite {
  readonly lines: Iterable<string>;
  /** They are there now, in this file. */
  done(file: string): void;
}

export interface SessionFileParts {
  readonly storage: SessionStorage;
  readonly path: string;
  readonly header: SessionHeader;
  /** It must not be there yet. */
  readonly fresh: boolean;
  readonly lock?: SessionLock | undefined;
  /** It was taken over from an owner that was stopped: what that had under way lands when it wakes, before it sees that the session is ours. */
  readonly fromStopped?: boolean | undefined;
  /** How long the file was when it was read; undefined where it is not there yet. */
  readonly size?: number | undefined;
  /** All that is known of what was written, for a file whose content is gone. */
  readonly remade: (header: SessionHeader) => Rewrite & { readonly missing: () => number };
  /** Comes before the first line that is added; what the file was stays beside it, with this ending. */
  readonly rewrite?: { readonly ending: string; readonly begin: () => Rewrite } | undefined;
  readonly moved: (moved: Moved) => void;
  /** Something is wrong that a person has to know, though the lines are written. */
  readonly told: (problem: string) => void;
}

const tailBytes = 64;

const lost = (count: number): string =>
  count === 0 ? '' : `; ${count} entries that were no longer in memory are lost`;

/**
 * A session file that is written at its end, by this process alone. Before every write it looks whether that is still
 * so: a file that was deleted or cut is made again, and one that was replaced, or gone on in by another process, is left
 * to whoever has it, and the session goes on in a copy.
 */
export class SessionFile implements LinePort {
  readonly #parts: SessionFileParts;
  #path: string;
  #header: SessionHeader;
  #isFresh: boolean;
  #lock: SessionLock | undefined;
  #rewrite: SessionFileParts['rewrite'];
  #awaitsLateLines: boolean;
  #appender: SessionAppender | undefined;
  /** Bytes that are meant to be there; what a failed write left behind lies after them. */
  #end = 0;
  #torn = 0;
  #needsNewline = false;
  /** The last bytes before `#end`: by them the file is known to be ours. */
  #tail: Buffer = Buffer.alloc(0);
  #seen: number | undefined;

  constructor(parts: SessionFileParts) {
    this.#parts = parts;
    this.#path = parts.path;
    this.#header = parts.header;
    this.#isFresh = parts.fresh;
    this.#lock = parts.lock;
    this.#rewrite = parts.rewrite;
    this.#awaitsLateLines = parts.fromStopped === true;
    this.#seen = parts.size;
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

  /** Sees to it that the file is this process's alone. `gone`: it was not for a while, and is again. */
  async #own(): Promise<'held' | 'gone' | 'left'> {
    const { storage } = this.#parts;
    if (storage.lock === undefined) return 'held';
    const state = this.#lock?.state() ?? 'gone';
    if (state === 'held') return 'held';
    if (state === 'gone') {
      const taken = await storage.lock(this.#path);
      this.#lock = taken.lock;
      if (taken.lock !== undefined) return 'gone';
      await this.#leave(`process ${taken.owner.pid} has the session open`, taken.owner);
      return 'left';
    }
    this.#lock = undefined;
    const { lock, ...others } = await storage.lock(this.#path);
    // Whoever took it over has ended meanwhile, and has written behind what we know.
    lock?.release();
    await this.#leave('another process has taken the session over', 'owner' in others ? others.owner : undefined);
    return 'left';
  }

  async #ready(): Promise<SessionAppender> {
    await this.#rewritten();
    let appender = this.#appender;
    if (appender === undefined) {
      appender = await this.#parts.storage.append(this.#path, this.#isFresh);
      this.#appender = appender;
      if (!this.#isFresh) await this.#find(appender);
      this.#isFresh = false;
      // Since it was read somebody else may have gone on in it: a lock that was had all the time says that nobody has.
      const [seen, now] = [this.#seen, this.#end];
      this.#seen = undefined;
      if (seen !== undefined && seen !== now) {
        this.#end = seen;
        this.#tail = Buffer.alloc(0);
        await this.#strange(appender, now);
        return this.#ready();
      }
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
      await this.#strange(appender, found.size);
      return this.#ready();
    }
    if (this.#torn > 0) await this.#cut(appender);
    return appender;
  }

  /** Where a file ends that was there before. */
  async #find(appender: SessionAppender): Promise<void> {
    this.#torn = 0;
    this.#end = appender.look?.().size ?? (await this.#parts.storage.size(this.#path)) ?? 0;
    this.#needsNewline = !this.#endsLine();
    this.#tail = this.#readTail();
  }

  /**
   * The file is not as long as what was written to it. Lines behind ours are of somebody who goes on in it: that is left
   * to them, unless it is the last write of the owner it was taken over from. Where ours are gone, they are written anew.
   */
  async #strange(appender: SessionAppender, size: number): Promise<void> {
    if (size > this.#end && this.#isOurs()) {
      if (size < this.#end + this.#torn) this.#torn = size - this.#end;
      else if (this.#awaitsLateLines) {
        this.#awaitsLateLines = false;
        await this.#find(appender);
      } else await this.#leave('another program has gone on in the session', undefined);
      return;
    }
    await this.#remake(appender, size);
  }

  /** What stands before the end is what was written there. Before the first write nothing is known of it. */
  #isOurs(): boolean {
    const { length } = this.#tail;
    const found = this.#parts.storage.readSync(this.#path, this.#end - length, length);
    return this.#tail.equals(found);
  }

  /** The file was cut, or filled with something else: all that is known of the session is written anew, in its place if that is ours still. */
  async #remake(appender: SessionAppender, size: number): Promise<void> {
    const { storage } = this.#parts;
    // What was written last is noted as such a moment later.
    await new Promise((resolve) => setImmediate(resolve));
    const from = this.#path;
    if (size === 0 || this.#beginsAsOurs(size)) {
      const { lines, done, missing } = this.#parts.remade(this.#header);
      await storage.replace(from, lines);
      this.#appender = undefined;
      this.#torn = 0;
      await appender.close();
      done(from);
      this.#parts.told(`${from} was cut by another program: it was written anew${lost(missing())}`);
      return;
    }
    await this.#leave('another program has written something else over the session', undefined, true);
  }

  #beginsAsOurs(size: number): boolean {
    const line = Buffer.from(this.#parts.storage.readSync(this.#path, 0, Math.min(size, 64 * 1024))).toString('utf8');
    return line.includes(`"id":${JSON.stringify(this.#header.id)}`);
  }

  #readTail(): Buffer {
    const length = Math.min(tailBytes, this.#end);
    return Buffer.from(this.#parts.storage.readSync(this.#path, this.#end - length, length));
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
      const owned = await this.#own();
      if (this.#appender !== appender) return undefined;
      if (owned === 'gone') {
        await this.#leave('another process had taken the session over', undefined);
        return undefined;
      }
      const behind = this.#parts.storage.readSync(this.#path, at, size - at);
      const found = Buffer.from(behind.buffer, behind.byteOffset, behind.byteLength).indexOf(bytes);
      if (found === -1)
        throw new KernError('session_cut', `${this.#path} is changed by another program while it is written`);
      at += found;
    }
    this.#end = Math.max(size, at + bytes.length);
    this.#needsNewline = !(size === at + bytes.length || this.#endsLine());
    this.#tail = size === at + bytes.length ? Buffer.from(bytes.subarray(-tailBytes)) : this.#readTail();
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
  async #leave(why: string, owner: SessionOwner | undefined, isGone = false): Promise<void> {
    const { storage } = this.#parts;
    const from = this.#path;
    const previous = this.#header.id;
    const timestamp = new Date().toISOString();
    const header = { ...this.#header, id: sessionId(), timestamp, parentSession: from };
    const file = join(dirname(from), fileName(timestamp, header.id));
    const appender = this.#appender;
    const lock = (await storage.lock?.(file))?.lock;
    let shift = 0;
    let remade: ReturnType<SessionFileParts['remade']> | undefined;
    try {
      if (isGone) {
        remade = this.#parts.remade(header);
        await storage.replace(file, remade.lines);
      } else if (!this.#isFresh) {
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
    this.#lock?.release();
    this.#lock = lock;
    this.#appender = undefined;
    this.#torn = 0;
    await appender?.close();
    remade?.done(file);
    this.#parts.told(`${why}: the session goes on in ${file}${lost(remade?.missing() ?? 0)}`);
    this.#parts.moved({ from, file, header, previous, shift, owner });
  }

  async #rewritten(): Promise<void> {
    if (this.#rewrite === undefined) return;
    const { storage } = this.#parts;
    await this.#keepAside(this.#rewrite.ending);
    const { lines, done } = this.#rewrite.begin();
    await storage.replace(this.#path, lines);
    done(this.#path);
    this.#rewrite = undefined;
    this.#seen = undefined;
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
