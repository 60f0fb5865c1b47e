import { buildSessionContext, type EntryNode, type SessionContext, type SessionEntry } from 'kern/contracts';

/** What a branch comes to, from its entries in memory. */
export function contextOf(branch: readonly SessionEntry[]): SessionContext {
  const byId = new Map(branch.map((entry) => [entry.id, entry]));
  return buildSessionContext(
    {
      branch: () => branch.map(nodeOf),
      entry: (id) => byId.get(id),
      name: branch.findLast((entry) => entry.type === 'session_info')?.name,
    },
    branch.at(-1)?.id ?? null,
  );
}

/** The place of an entry, without what it holds. */
export function nodeOf(entry: SessionEntry): EntryNode {
  const { id, parentId, type, timestamp } = entry;
  return {
    ...{ id, parentId, type, timestamp },
    ...(entry.type === 'message' ? { role: entry.message.role } : {}),
    ...('customType' in entry ? { customType: entry.customType } : {}),
  };
}
