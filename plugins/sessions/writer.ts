import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoreReport } from 'kern/contracts';
import { KernError, makeFolder, messageOf } from 'kern/plugin';

/** What the writer needs of a file. */
export type WritableFile = Pick<FileHandle, 'write' | 'truncate' | 'datasync' | 'close'>;

interface Waiting {
  readonly line: string;
  readonly written: () => void;
  readonly dropped: (error: unknown) => void;
}

/**
 * Appends lines to a file of its own, one write at a time and in order; what comes while one is under way goes out
 * together with the next. A line is acknowledged when its write is done. After a failure the lines stay, the failure
 * is told, and the next line tries again with all of them.
 */
export class LineWriter {
  readonly #file: string;
  readonly #report: (report: StoreReport) => void;
  readonly #open: (file: string) => Promise<WritableFile>;
  #handle: WritableFile | undefined;
  #waiting: Waiting[] = [];
  #pumping: Promise<void> | undefined;
  /** Bytes of whole lines. What a failed write left behind lies after them. */
  #size = 0;
  #isTorn = false;
  #failure: string | undefined;

  constructor(
    file: string,
    report: (report: StoreReport) => void,
    open: (file: string) => Promise<WritableFile> = openNew,
  ) {
    this.#file = file;
    this.#report = report;
    this.#open = open;
  }

  /** Resolves when all of them are written. */
  append(lines: readonly string[]): readonly Promise<void>[] {
    const acknowledged = lines.map(
      (line) => new Promise<void>((resolve, reject) => this.#waiting.push({ line, written: resolve, dropped: reject })),
    );
    this.#pump();
    return acknowledged;
  }

  /** Tries once more what is not written, and rejects with `session_write_failed` when that fails too. */
  async flush(): Promise<void> {
    await this.#pumping;
    await this.#pump();
    if (this.#waiting.length > 0)
      throw new KernError(
        'session_write_failed',
        `${this.#waiting.length} entries of the session are not in ${this.#file}: ${this.#failure ?? 'unknown error'}`,
        { hint: 'make room or give write access; until then they are in memory only' },
      );
  }

  /** Writes what can be written, to the disk itself, and closes. */
  async close(): Promise<void> {
    try {
      await this.flush();
      await this.#handle?.datasync();
    } catch (error) {
      for (const { dropped } of this.#waiting.splice(0)) dropped(error);
      throw error;
    } finally {
      const handle = this.#handle;
      this.#handle = undefined;
      await handle?.close();
    }
  }

  #pump(): Promise<void> {
    if (this.#waiting.length > 0) this.#pumping ??= this.#drain();
    return this.#pumping ?? Promise.resolve();
  }

  async #drain(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.slice());
    } catch (error) {
      this.#failed(error);
    }
    // In the same step as the last look at the queue: a line that comes now starts a pump of its own.
    this.#pumping = undefined;
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    await this.#write(Buffer.from(batch.map(({ line }) => line).join('')));
    this.#waiting.splice(0, batch.length);
    if (this.#failure !== undefined) {
      this.#failure = undefined;
      this.#report({ type: 'write-restored', written: batch.length });
    }
    for (const { written } of batch) written();
  }

  /** Said once for each cause: a full disk stays full for many lines. */
  #failed(error: unknown): void {
    const message = messageOf(error);
    if (message === this.#failure) return;
    this.#failure = message;
    this.#report({ type: 'write-failed', error: message, pending: this.#waiting.length });
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#handle ??= await this.#open(this.#file);
    if (this.#isTorn) {
      await this.#handle.truncate(this.#size);
      this.#isTorn = false;
    }
    let at = 0;
    try {
      while (at < bytes.length) at += (await this.#handle.write(bytes, at, bytes.length - at)).bytesWritten;
    } finally {
      if (at < bytes.length) this.#isTorn = true;
      else this.#size += at;
    }
  }
}

/** Private, new, and never through a link that somebody put in its place. */
async function openNew(file: string): Promise<FileHandle> {
  await makeFolder(dirname(file), 0o700);
  return open(
    file,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
    0o600,
  );
}
