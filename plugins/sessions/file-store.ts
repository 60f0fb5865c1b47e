import type { NewEntry, SessionEntry, SessionHeader, SessionStore, StoreReport } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { lineOf } from './dialect.ts';
import { Branch } from './tree.ts';
import { LineWriter } from './writer.ts';

/**
 * A session in a file of its own. The file appears with the first user message: a session in which nobody said
 * anything leaves nothing behind.
 */
export class FileStore implements SessionStore {
  readonly header: SessionHeader;
  readonly file: string;
  readonly #branch = new Branch();
  readonly #writer: LineWriter;
  /** Entries from before the first user message, and who waits for them. */
  #held: { readonly entry: SessionEntry; readonly release: (written: Promise<void>) => void }[] | undefined = [];

  constructor(file: string, header: SessionHeader, report: (report: StoreReport) => void) {
    this.file = file;
    this.header = header;
    this.#writer = new LineWriter(file, report);
  }

  entries(): readonly SessionEntry[] {
    return this.#branch.entries;
  }

  append(entry: NewEntry): Promise<SessionEntry> {
    const placed = this.#branch.add(entry);
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#held !== undefined) {
      this.#held.push({ entry: placed, release: resolve });
      if (placed.type === 'message' && placed.message.role === 'user') this.#begin();
    } else {
      const [written] = this.#writer.append([lineOf(placed)]);
      resolve(written);
    }
    return promise.then(() => placed);
  }

  async flush(): Promise<void> {
    if (this.#held === undefined) await this.#writer.flush();
  }

  async close(): Promise<void> {
    const nothingSaid = Promise.reject(
      new KernError('session_empty', 'nothing was said in this session, so it was not kept'),
    );
    nothingSaid.catch(() => {});
    for (const { release } of this.#held?.splice(0) ?? []) release(nothingSaid);
    await this.#writer.close();
  }

  #begin(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    const [header, ...written] = this.#writer.append([
      `${JSON.stringify(this.header)}\n`,
      ...held.map(({ entry }) => lineOf(entry)),
    ]);
    // Nobody waits for the header alone.
    header?.catch(() => {});
    for (const [index, { release }] of held.entries()) release(written[index] ?? Promise.resolve());
  }
}
