import type { NewEntry, SessionEntry } from 'kern/contracts';
import { entryId } from './names.ts';

/** The entries of one branch, and where the next one goes. */
export class Branch {
  readonly #entries: SessionEntry[] = [];
  readonly #ids = new Set<string>();

  get entries(): readonly SessionEntry[] {
    return this.#entries;
  }

  /** Gives an entry its place at the leaf. */
  add(entry: NewEntry): SessionEntry {
    const id = entryId((candidate) => this.#ids.has(candidate));
    const { type, ...rest } = entry;
    // The union is kept by taking it apart and together again, which TypeScript does not follow.
    const placed = {
      type,
      id,
      parentId: this.#entries.at(-1)?.id ?? null,
      timestamp: new Date().toISOString(),
      ...rest,
    } as SessionEntry;
    this.#ids.add(id);
    this.#entries.push(placed);
    return placed;
  }
}
