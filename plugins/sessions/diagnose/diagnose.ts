import type { EntryNode, Repair, SessionDiagnosis, SessionStorage } from 'kern/contracts';
import type { ResolveBlob } from '../read/blob-references.ts';
import { SessionTree } from '../read/session-tree.ts';

type Storage = Pick<SessionStorage, 'read' | 'readSync'>;

/** What is wrong with a file, line by line. Throws `session_unreadable` for what is no session. */
export async function diagnoseFile(
  storage: Storage,
  file: string,
  options: { readonly resolveBlob?: ResolveBlob | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<SessionDiagnosis> {
  const tree = await SessionTree.open(storage, file, { ...options, isThorough: true });
  return diagnosisOf(tree, file);
}

/** The same of a tree that was opened with a thorough look. */
export function diagnosisOf(tree: SessionTree, file: string): SessionDiagnosis {
  const nodes = tree.nodes();
  const repairs = [...tree.repairs, ...lostKept(tree, nodes)].sort((a, b) => a.line - b.line);
  const hasHeader = !repairs.some(({ kind }) => kind === 'no-header');
  return {
    file,
    version: hasHeader && !Number.isNaN(tree.version) ? tree.version : undefined,
    dialect: tree.dialect,
    entries: nodes.length,
    branches: branchesOf(nodes),
    repairs,
    sound: repairs.length === 0,
  };
}

/** Entries that nothing follows; marks of kern's own are no words of a branch. */
function branchesOf(nodes: readonly EntryNode[]): number {
  const said = nodes.filter(({ customType }) => customType !== 'kern.leaf' && customType !== 'kern.damaged');
  const followed = new Set(said.map(({ parentId }) => parentId));
  return said.filter(({ id }) => !followed.has(id)).length;
}

/** Compactions that keep what is not before them; one that keeps itself keeps nothing. */
function lostKept(tree: SessionTree, nodes: readonly EntryNode[]): readonly Repair[] {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  const told = new Set(tree.repairs.map(({ line, kind }) => `${line} ${kind}`));
  return nodes.flatMap(({ id, type }): readonly Repair[] => {
    const entry = type === 'compaction' ? tree.entry(id) : undefined;
    if (entry?.type !== 'compaction') return [];
    let at: string | null | undefined = id;
    while (typeof at === 'string' && at !== entry.firstKeptEntryId) at = parents.get(at);
    const line = tree.line(id);
    if (at === entry.firstKeptEntryId || told.has(`${line} lost-first-kept`)) return [];
    const message = `it keeps ${entry.firstKeptEntryId}, which is not before it: only what follows it is read`;
    return [{ line, kind: 'lost-first-kept', message }];
  });
}
