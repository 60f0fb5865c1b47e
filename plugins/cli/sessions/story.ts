import type {
  AssistantMessage,
  EntryNode,
  ForeignEntry,
  SessionEntry,
  SessionStore,
  ToolCall,
  ToolResultMessage,
} from 'kern/contracts';

/** A call of a reply, and what came of it. */
export interface StoryCall {
  readonly call: ToolCall;
  readonly result: ToolResultMessage | undefined;
}

/** What is shown of a session, in the order in which it is read. */
export type StoryItem =
  | {
      readonly kind: 'reply';
      readonly node: EntryNode;
      readonly message: AssistantMessage;
      readonly calls: readonly StoryCall[];
      readonly label: string | undefined;
      /** It is no longer told to the model. */
      readonly isHidden: boolean;
    }
  | {
      readonly kind: 'entry';
      readonly node: EntryNode;
      readonly entry: SessionEntry | ForeignEntry;
      readonly label: string | undefined;
      readonly isHidden: boolean;
    }
  /** Here the conversation was tried in other ways, too. */
  | { readonly kind: 'branches'; readonly node: EntryNode | undefined; readonly branches: readonly Branch[] };

/** A way that was left. */
export interface Branch {
  /** Its first entry. */
  readonly node: EntryNode;
  /** Messages of people and models in it, and in what hangs below it. */
  readonly messages: number;
  readonly items: () => Iterable<StoryItem>;
}

/** Entries are read one after the other, so that a long session is never in memory as a whole. */
type Source = Pick<SessionStore, 'leaf' | 'nodes' | 'entry' | 'label'>;

/** Branches within branches within branches are counted, and no longer told. */
const deepest = 20;

/** The tree of a session, as it is told. */
export class Story {
  readonly #source: Source;
  readonly #nodes = new Map<string, EntryNode>();
  readonly #children = new Map<string | null, EntryNode[]>();
  /** The latest place in the file of what hangs below an entry, and how many messages that is. */
  readonly #latest = new Map<string, number>();
  readonly #messages = new Map<string, number>();
  readonly #hidden: ReadonlySet<string>;

  constructor(source: Source) {
    this.#source = source;
    const nodes = source.nodes();
    for (const node of nodes) {
      this.#nodes.set(node.id, node);
      const siblings = this.#children.get(node.parentId);
      if (siblings === undefined) this.#children.set(node.parentId, [node]);
      else siblings.push(node);
    }
    for (let place = nodes.length - 1; place >= 0; place -= 1) {
      const { id, parentId, type, role } = nodes[place] as EntryNode;
      const isSaid = type === 'message' && (role === 'user' || role === 'assistant');
      const latest = Math.max(this.#latest.get(id) ?? 0, place);
      const messages = (this.#messages.get(id) ?? 0) + (isSaid ? 1 : 0);
      this.#latest.set(id, latest);
      this.#messages.set(id, messages);
      if (parentId === null) continue;
      this.#latest.set(parentId, Math.max(this.#latest.get(parentId) ?? 0, latest));
      this.#messages.set(parentId, (this.#messages.get(parentId) ?? 0) + messages);
    }
    this.#hidden = new Set(
      nodes.flatMap(({ id, type }) => {
        const entry = type === 'context_edit' ? source.entry(id) : undefined;
        return entry?.type === 'context_edit' && entry.replacement === null ? [entry.targetId] : [];
      }),
    );
  }

  /** From the first entry to an entry, without what hangs beside. */
  path(leaf: string | null = this.#source.leaf): readonly EntryNode[] {
    const path: EntryNode[] = [];
    const seen = new Set<string>();
    let node = leaf === null ? undefined : this.#nodes.get(leaf);
    while (node !== undefined && !seen.has(node.id)) {
      seen.add(node.id);
      path.push(node);
      node = node.parentId === null ? undefined : this.#nodes.get(node.parentId);
    }
    return path.reverse();
  }

  items(leaf: string | null = this.#source.leaf): Iterable<StoryItem> {
    return this.#items(this.path(leaf), undefined, 0);
  }

  /** What follows an entry, by its place in the file. */
  children(id: string | null): readonly EntryNode[] {
    return this.#children.get(id) ?? [];
  }

  messagesBelow(id: string): number {
    return this.#messages.get(id) ?? 0;
  }

  *#items(path: readonly EntryNode[], first: EntryNode | undefined, depth: number): Generator<StoryItem> {
    const told = new Set<string>();
    if (first === undefined) yield* this.#branches(undefined, path[0], depth);
    for (const [place, node] of path.entries()) {
      if (!told.has(node.id)) {
        const entry = this.#source.entry(node.id);
        const about = { node, label: this.#source.label(node.id), isHidden: this.#hidden.has(node.id) };
        if (entry?.type === 'message' && entry.message.role === 'assistant') {
          const { message } = entry;
          const results = this.#results(path, place);
          const calls = message.content.flatMap((part) =>
            part.type === 'toolCall' ? [{ call: part, result: results.get(part.id)?.message }] : [],
          );
          for (const { call } of calls) {
            const result = results.get(call.id);
            if (result !== undefined) told.add(result.id);
          }
          yield { kind: 'reply', message, calls, ...about };
        } else if (entry !== undefined) yield { kind: 'entry', entry, ...about };
      }
      yield* this.#branches(node, path[place + 1], depth);
    }
  }

  /** The results behind a reply, up to the next one. */
  #results(
    path: readonly EntryNode[],
    reply: number,
  ): ReadonlyMap<string, { readonly id: string; readonly message: ToolResultMessage }> {
    const results = new Map<string, { id: string; message: ToolResultMessage }>();
    for (let place = reply + 1; place < path.length; place += 1) {
      const node = path[place] as EntryNode;
      if (node.role === 'assistant') break;
      const entry = node.role === 'toolResult' ? this.#source.entry(node.id) : undefined;
      if (entry?.type === 'message' && entry.message.role === 'toolResult' && !results.has(entry.message.toolCallId))
        results.set(entry.message.toolCallId, { id: node.id, message: entry.message });
    }
    return results;
  }

  *#branches(node: EntryNode | undefined, next: EntryNode | undefined, depth: number): Generator<StoryItem> {
    const others = this.children(node?.id ?? null).filter(
      (child) => child !== next && this.messagesBelow(child.id) > 0,
    );
    if (others.length === 0) return;
    const branches = others.map((child) => ({
      node: child,
      messages: this.messagesBelow(child.id),
      items: () => (depth >= deepest ? [] : this.#items(this.#mainLine(child), child, depth + 1)),
    }));
    yield { kind: 'branches', node, branches };
  }

  /** From an entry to what was added last below it. */
  #mainLine(first: EntryNode): readonly EntryNode[] {
    const line = [first];
    const seen = new Set([first.id]);
    for (;;) {
      const below = this.children(line.at(-1)?.id ?? null).filter(({ id }) => !seen.has(id));
      const next = below.reduce<EntryNode | undefined>(
        (best, one) =>
          best === undefined || (this.#latest.get(one.id) ?? 0) > (this.#latest.get(best.id) ?? 0) ? one : best,
        undefined,
      );
      if (next === undefined) return line;
      seen.add(next.id);
      line.push(next);
    }
  }
}
