import type { NewEntry, SessionEntry, SessionHeader, SessionStore } from 'kern/contracts';
import { Branch } from './tree.ts';

/** A session that nobody writes down. */
export class MemoryStore implements SessionStore {
  readonly header: SessionHeader;
  readonly file = undefined;
  readonly #branch = new Branch();

  constructor(header: SessionHeader) {
    this.header = header;
  }

  entries(): readonly SessionEntry[] {
    return this.#branch.entries;
  }

  async append(entry: NewEntry): Promise<SessionEntry> {
    return this.#branch.add(entry);
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}
}
