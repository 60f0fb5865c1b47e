import type { SessionStore } from 'kern/contracts';
import type { Blobs } from './blobs.ts';
import { json, written } from './dialect.ts';

/** What entries are read from: an open session, or one that is only read. */
export type Source = Pick<SessionStore, 'leaf' | 'nodes' | 'entry' | 'label'>;

/** From the root to an entry, and what is there. */
export interface Branch {
  readonly ids: readonly string[];
  /** Somebody has said something. */
  readonly hasUserMessage: boolean;
}

export function branchOf(source: Source, leaf: string | null): Branch {
  const nodes = new Map(source.nodes().map((node) => [node.id, node]));
  const ids: string[] = [];
  let hasUserMessage = false;
  for (let next = leaf; next !== null; ) {
    const node = nodes.get(next);
    if (node === undefined || !nodes.delete(next)) break;
    ids.push(next);
    if (node.type === 'message' && node.role === 'user') hasUserMessage = true;
    next = node.parentId;
  }
  return { ids: ids.reverse(), hasUserMessage };
}

/** The entries of a branch as lines of a file of their own, one after the other: a long one is never in memory whole. */
export async function* branchLines(
  source: Source,
  { ids }: Branch,
  blobs: Blobs,
  limit: number,
): AsyncGenerator<string> {
  for (const id of ids) {
    const entry = source.entry(id);
    if (entry === undefined) continue;
    const { line, blobs: needed } = blobs.lighten(json(written(entry)), limit);
    for (const blob of needed) await blobs.write(blob);
    yield `${line}\n`;
  }
}
