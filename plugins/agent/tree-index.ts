import type { EntryNode, SessionStore } from 'kern/contracts';

/** The places of a session's tree by their ids. What was looked at is not looked at again. */
export class TreeIndex {
  readonly #store: SessionStore;
  readonly #nodes = new Map<string, EntryNode>();

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** From the leaf to the root. */
  *branch(): Generator<EntryNode> {
    const nodes = this.#store.nodes();
    for (let at = this.#nodes.size; at < nodes.length; at += 1) {
      const node = nodes[at];
      if (node !== undefined) this.#nodes.set(node.id, node);
    }
    for (let at = this.#store.leaf; at !== null; ) {
      const node = this.#nodes.get(at);
      if (node === undefined) return;
      yield node;
      at = node.parentId;
    }
  }
}
