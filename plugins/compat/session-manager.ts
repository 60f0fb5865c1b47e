import { dirname } from 'node:path';
import type { AgentSession, EntryNode } from 'kern/contracts';

type Entry = Readonly<Record<string, unknown>> & { readonly id: string; readonly parentId: string | null };

interface TreeNode {
  readonly entry: Entry;
  readonly children: TreeNode[];
  readonly label?: string;
}

/** What pi's extensions may read of a session. kern's entries have pi's shapes; those of other programs are handed out as they stand in the file. */
export function sessionManager(session: () => AgentSession): object {
  const entry = (id: string): Entry | undefined => entryOf(session(), id);
  const branch = (from: string | null = session().leaf): readonly Entry[] => {
    const parents = new Map(
      session()
        .nodes()
        .map((node) => [node.id, node.parentId]),
    );
    const path: Entry[] = [];
    const seen = new Set<string>();
    for (let id: string | null | undefined = from; id !== null && id !== undefined && !seen.has(id); ) {
      seen.add(id);
      const found = entry(id);
      if (found !== undefined) path.unshift(found);
      id = parents.get(id);
    }
    return path;
  };
  const contextEntries = (): readonly Entry[] =>
    session()
      .context()
      .flatMap(({ entryId }) => (entryId === undefined ? [] : (entry(entryId) ?? [])));
  return {
    getCwd: () => session().cwd,
    getSessionDir: () => {
      const { file } = session();
      return file === undefined ? undefined : dirname(file);
    },
    getSessionId: () => session().id,
    getSessionFile: () => session().file,
    getSessionName: () => session().name,
    isPersisted: () => session().file !== undefined,
    getHeader: () => session().header,
    getEntries: () =>
      session()
        .nodes()
        .flatMap(({ id }) => entry(id) ?? []),
    getEntry: entry,
    getBranch: branch,
    getTree: () => treeOf(session()),
    getLeafId: () => session().leaf,
    getLeafEntry: () => {
      const { leaf } = session();
      return leaf === null ? undefined : entry(leaf);
    },
    getLabel: (id: string) => session().label(id),
    getChildren: (id: string) =>
      session()
        .nodes()
        .filter(({ parentId }) => parentId === id)
        .flatMap((node) => entry(node.id) ?? []),
    buildContextEntries: contextEntries,
    buildSessionContext: () => ({
      messages: session()
        .context()
        .map(({ message }) => message),
      thinkingLevel: session().thinking(),
      model: { provider: session().currentModel.provider, modelId: session().currentModel.model },
    }),
  };
}

function entryOf(session: AgentSession, id: string): Entry | undefined {
  const entry = session.entry(id);
  if (entry === undefined) return undefined;
  return entry.type === 'foreign'
    ? { ...entry.raw, id: entry.id, parentId: entry.parentId, timestamp: entry.timestamp, type: entry.foreignType }
    : { ...entry };
}

function treeOf(session: AgentSession): readonly TreeNode[] {
  const nodes = new Map<string, TreeNode>();
  const roots: TreeNode[] = [];
  const made = session.nodes().flatMap((node: EntryNode) => {
    const entry = entryOf(session, node.id);
    if (entry === undefined) return [];
    const label = session.label(node.id);
    const tree: TreeNode = { entry, children: [], ...(label === undefined ? {} : { label }) };
    nodes.set(node.id, tree);
    return [{ node, tree }];
  });
  for (const { node, tree } of made) {
    const parent = node.parentId === null ? undefined : nodes.get(node.parentId);
    (parent === undefined ? roots : parent.children).push(tree);
  }
  return roots;
}
