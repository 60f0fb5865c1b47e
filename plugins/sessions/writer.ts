import { dirname } from 'node:path';
import type { StoreReport } from 'kern/contracts';
import { KernError, messageOf } from 'kern/plugin';
import type { Blob } from './blobs.ts';
import type { LiveSettings } from './settings.ts';
import { writeFault } from './write-fault.ts';

/** Where lines go. A write is whole or fails, and then has left nothing. */
export interface LinePort {
  /** Answers with the place of the first byte. */
  write(bytes: Buffer): Promise<number>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A line, and what must be there before it. */
export interface Line {
  readonly text: string;
  readonly blobs?: readonly Blob[];
}

/** Where a line is, without its newline. */
export interface Written {
  readonly at: number;
  readonly length: number;
}

interface Waiting extends Line {
  readonly written: (place: Written) => void;
  readonly dropped: (error: unknown) => void;
}

export interface WriterParts {
  readonly port: LinePort;
  readonly report: (report: StoreReport) => void;
  readonly settings: Pick<LiveSettings, 'fsync'>;
  readonly writeBlob: (blob: Blob) => Promise<void>;
  /** For people. */
  readonly name: () => string;
  /** Before the first try without anybody asking; doubles up to thirty seconds. */
  readonly retryMs?: number;
}

/** Of what waits, as much as goes out in one write. */
const batchBytes = 4 * 1024 * 1024;
const longestRetryMs = 30_000;
const syncMs = 1_000;

/**
 * Writes lines, one write at a time and in order; what comes while one is under way goes out together with the next. A
 * line is acknowledged when its write is done, and with `fsync: always` when it is on the disk. After a failure the
 * lines stay, the failure is told, and the next line, or a timer, tries again with all of them.
 */
export class LineWriter {
  readonly #parts: WriterParts;
  #waiting: Waiting[] = [];
  /** Written, and not to be acknowledged before they are on the disk. */
  #unsynced: { readonly line: Waiting; readonly place: Written }[] = [];
  #pumping: Promise<void> | undefined;
  #failure: string | undefined;
  /** What was known to be wrong before the first write. */
  #foretold: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs: number;
  #syncing: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#retryMs = parts.retryMs ?? 1_000;
  }

  /** Why the last try failed. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** How many are in memory only. */
  get pending(): number {
    return this.#waiting.length + this.#unsynced.length;
  }

  /** Each resolves when it is written. */
  append(lines: readonly Line[]): readonly Promise<Written>[] {
    const acknowledged = lines.map(
      (line) =>
        new Promise<Written>((resolve, reject) => this.#waiting.push({ ...line, written: resolve, dropped: reject })),
    );
    void this.#pump();
    return acknowledged;
  }

  /** Tries once more what is not written, and rejects with `session_write_failed` when that fails too. */
  async flush(): Promise<void> {
    await this.#pumping;
    await this.#pump();
    if (this.pending > 0)
      throw new KernError(
        'session_write_failed',
        `${this.pending} entries of the session are not in ${this.#parts.name()}: ${this.#failure ?? 'unknown error'}`,
        { hint: 'make room or give write access; until then they are in memory only' },
      );
  }

  /** Writes what can be written, to the disk itself, and closes. */
  async close(): Promise<void> {
    try {
      await this.flush();
      if (this.#parts.settings.fsync !== 'never') await this.#parts.port.sync();
    } catch (error) {
      for (const { line } of this.#unsynced.splice(0)) line.dropped(error);
      for (const { dropped } of this.#waiting.splice(0)) dropped(error);
      throw error;
    } finally {
      this.#isClosed = true;
      clearTimeout(this.#retry);
      clearTimeout(this.#syncing);
      await this.#parts.port.close();
    }
  }

  #pump(): Promise<void> {
    if (this.pending > 0) this.#pumping ??= this.#drain();
    return this.#pumping ?? Promise.resolve();
  }

  async #drain(): Promise<void> {
    clearTimeout(this.#retry);
    try {
      // What is added in the same breath goes out in the same write.
      await Promise.resolve();
      if (this.#unsynced.length > 0) await this.#acknowledge();
      while (this.#waiting.length > 0) await this.#writeBatch();
    } catch (error) {
      this.#failed(error);
    } finally {
      // In the same step as the last look at the queue: a line that comes now starts a pump of its own.
      this.#pumping = undefined;
    }
  }

  async #writeBatch(): Promise<void> {
    const encoded: Buffer[] = [];
    for (let size = 0; size < batchBytes && encoded.length < this.#waiting.length; ) {
      const next = this.#waiting[encoded.length];
      for (const blob of next?.blobs ?? []) await this.#parts.writeBlob(blob);
      const bytes = Buffer.from(next?.text ?? '');
      encoded.push(bytes);
      size += bytes.length;
    }
    let at = await this.#parts.port.write(encoded.length === 1 && encoded[0] ? encoded[0] : Buffer.concat(encoded));
    for (const [nth, line] of this.#waiting.splice(0, encoded.length).entries()) {
      const length = encoded[nth]?.length ?? 0;
      this.#unsynced.push({ line, place: { at, length: length - 1 } });
      at += length;
    }
    await this.#acknowledge();
  }

  async #acknowledge(): Promise<void> {
    const { port, settings } = this.#parts;
    if (settings.fsync === 'always') await port.sync();
    else if (settings.fsync === 'second') this.#syncSoon();
    const done = this.#unsynced.splice(0);
    this.#restored(done.length);
    for (const { line, place } of done) line.written(place);
  }

  #restored(written: number): void {
    this.#retryMs = this.#parts.retryMs ?? 1_000;
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#foretold = undefined;
    this.#report({ type: 'write-restored', written });
  }

  /** Said once for each cause: a full disk stays full for many lines. */
  #failed(error: unknown): void {
    this.tell(this.#foretold ?? writeFault(error, dirname(this.#parts.name())));
    if (this.#isClosed) return;
    const again = (): void => {
      this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
      void this.#pump();
    };
    this.#retry = setTimeout(again, this.#retryMs).unref();
  }

  /** Says what will go wrong, before anything is written. */
  foretell(failure: string): void {
    this.#foretold = failure;
    this.tell(failure);
  }

  /** Says what is wrong, once; when the next lines are written it is said to be over. */
  tell(failure: string): void {
    if (failure === this.#failure) return;
    this.#failure = failure;
    this.#report({ type: 'write-failed', error: failure, pending: this.pending });
  }

  #report(report: StoreReport): void {
    try {
      this.#parts.report(report);
    } catch {
      // Whoever listens answers for itself; the lines are written all the same.
    }
  }

  #syncSoon(): void {
    this.#syncing ??= setTimeout(() => {
      this.#syncing = undefined;
      this.#parts.port.sync().catch((error: unknown) => this.tell(`it may not be on the disk: ${messageOf(error)}`));
    }, syncMs).unref();
  }
}
