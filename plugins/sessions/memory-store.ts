import type {
  EntryNode,
  ForeignEntry,
  NewEntry,
  Repair,
  SessionContext,
  SessionEntry,
  SessionHeader,
  SessionStore,
} from 'kern/contracts';
import type { SessionTree } from './read/session-tree.ts';

/** A session that nobody writes down. */
export class MemoryStore implements SessionStore {
  readonly file = undefined;
  readonly readonly = undefined;
  readonly busy = undefined;
  readonly #tree: SessionTree;

  constructor(tree: SessionTree) {
    this.#tree = tree;
  }

  get header(): SessionHeader {
    return this.#tree.header;
  }

  get repairs(): readonly Repair[] {
    return this.#tree.repairs;
  }

  get leaf(): string | null {
    return this.#tree.leaf;
  }

  nodes(): readonly EntryNode[] {
    return this.#tree.nodes();
  }

  entry(id: string): SessionEntry | ForeignEntry | undefined {
    return this.#tree.entry(id);
  }

  entries(id: string | null = this.leaf): readonly (SessionEntry | ForeignEntry)[] {
    return this.#tree.entries(id);
  }

  context(id: string | null = this.leaf): SessionContext {
    return this.#tree.context(id);
  }

  label(id: string): string | undefined {
    return this.#tree.label(id);
  }

  async append(entry: NewEntry): Promise<SessionEntry> {
    return this.#tree.place(entry);
  }

  async moveLeaf(id: string | null): Promise<void> {
    this.#tree.moveLeaf(id);
    this.#tree.place({ type: 'custom', customType: 'kern.leaf', data: { target: id } });
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}
}
