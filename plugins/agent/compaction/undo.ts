import type { SessionStore } from 'kern/contracts';
import { editsIn, prunedIn, prunedType } from './details.ts';
import { undoneType } from './tokens.ts';

/** A compaction, or results that were left out, with the edits of the context that belong to it. */
export interface Undoable {
  readonly id: string;
  readonly edits: readonly string[];
}

/** The latest compaction of the branch that still counts. */
export function latestCompaction(store: Pick<SessionStore, 'nodes' | 'entry' | 'leaf'>): Undoable | undefined {
  const nodes = new Map(store.nodes().map((node) => [node.id, node]));
  const undone = new Set<string>();
  const seen = new Set<string>();
  for (let id = store.leaf; id !== null && !seen.has(id); ) {
    seen.add(id);
    const node = nodes.get(id);
    if (node === undefined) return undefined;
    // Of most nodes the type says enough: a long branch is not read again for this.
    const entry = node.type === 'compaction' || node.type === 'custom' ? store.entry(id) : undefined;
    if (entry?.type === 'compaction' && !undone.has(id)) return { id, edits: editsIn(entry.details) };
    if (entry?.type === 'custom' && entry.customType === undoneType) undone.add(targetOf(entry.data));
    if (entry?.type === 'custom' && entry.customType === prunedType && !undone.has(id))
      return { id, edits: prunedIn(entry.data) };
    id = node.parentId;
  }
  return undefined;
}

function targetOf(data: unknown): string {
  if (typeof data !== 'object' || data === null || !('targetId' in data)) return '';
  return typeof data.targetId === 'string' ? data.targetId : '';
}
