import type { EntryNode, ForeignEntry, SessionEntry, SessionStats, SessionStore, Usage } from 'kern/contracts';
import { addUsage, noUsage } from './usage.ts';

type Counted = Omit<SessionStats, 'sessionId' | 'file' | 'context' | 'branches'>;

const nothing: Counted = {
  userMessages: 0,
  assistantMessages: 0,
  toolCalls: 0,
  toolErrors: 0,
  usage: noUsage,
  cost: 0,
  compactions: 0,
};

/** Entries that a branch is made of; the others say something about it. */
const words: ReadonlySet<string> = new Set(['message', 'custom_message', 'compaction', 'branch_summary']);

/** Counts what a session comes to, over all its branches. What was counted is not looked at again. */
export class Tally {
  readonly #store: SessionStore;
  #counted = nothing;
  #seen = 0;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  read(context: SessionStats['context']): SessionStats {
    const nodes = this.#store.nodes();
    let counted = this.#counted;
    for (let at = this.#seen; at < nodes.length; at += 1) {
      const node = nodes[at];
      if (node !== undefined) counted = this.#counting(counted, node);
    }
    this.#counted = counted;
    this.#seen = nodes.length;
    const { header, file } = this.#store;
    return { sessionId: header.id, file, ...counted, context, branches: branchesOf(nodes) };
  }

  /** Entries lie in a file: only what holds more than its place says is fetched. */
  #counting(so: Counted, { id, type, role }: EntryNode): Counted {
    if (type === 'compaction') return { ...so, compactions: so.compactions + 1 };
    if (type !== 'message') return so;
    if (role === 'user') return { ...so, userMessages: so.userMessages + 1 };
    const entry =
      role === undefined || role === 'assistant' || role === 'toolResult' ? this.#store.entry(id) : undefined;
    return entry === undefined ? so : counting(so, entry);
  }
}

function counting(so: Counted, entry: SessionEntry | ForeignEntry): Counted {
  if (entry.type !== 'message') return so;
  const { message } = entry;
  if (message.role === 'user') return { ...so, userMessages: so.userMessages + 1 };
  if (message.role === 'toolResult') return { ...so, toolErrors: so.toolErrors + (message.isError ? 1 : 0) };
  if (message.role !== 'assistant') return so;
  const usage: Usage = addUsage(so.usage, message.usage);
  return {
    ...so,
    assistantMessages: so.assistantMessages + 1,
    toolCalls: so.toolCalls + message.content.filter(({ type }) => type === 'toolCall').length,
    usage,
    cost: usage.cost?.total ?? null,
  };
}

/** Ends of the tree after which nothing is said any more. */
function branchesOf(nodes: ReturnType<SessionStore['nodes']>): number {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  const goesOn = new Set<string>();
  const said = nodes.filter(({ type }) => words.has(type));
  for (const { parentId } of said) {
    // Up to where another branch has been already.
    for (let at = parentId; at !== null && !goesOn.has(at); at = parents.get(at) ?? null) goesOn.add(at);
  }
  return said.filter(({ id }) => !goesOn.has(id)).length;
}
