import type {
  ContextMessage,
  EntryNode,
  ForeignEntry,
  Repair,
  SessionContext,
  SessionEntry,
  SystemEntryMessage,
} from './contract.ts';
import { messageOfEntry } from './entry-message.ts';
import { messageForModel, pairedMessages } from './valid-context.ts';

type Thinking = NonNullable<SessionContext['thinking']>;
type Of<T extends SessionEntry['type']> = Extract<SessionEntry, { readonly type: T }>;

/** A `custom` entry: the compaction `targetId`, and the context edits `edits`, no longer count. */
export const compactionUndoneType = 'kern.compaction-undone';

/** Where a context is built from. */
export interface ContextSource {
  /** From the root to an entry. */
  branch(id: string): readonly EntryNode[];
  entry(id: string): SessionEntry | ForeignEntry | undefined;
  /** Names belong to the session, not to a branch of it. */
  readonly name: string | undefined;
  /** What the header says; only the first version of the format said it there. */
  readonly model?: string | undefined;
  readonly thinking?: string | undefined;
  /** Something is not as it should be, and what was done about it. */
  problem?(entryId: string, kind: Repair['kind'], message: string): void;
}

/** What the branch to an entry comes to. Of entries before the latest compaction only what is still in force is read. */
export function buildSessionContext(source: ContextSource, leaf: string | null): SessionContext {
  const branch = leaf === null ? [] : source.branch(leaf);
  const messages = messagesOf(source, branch);
  const latest = latestOf(source, branch);
  const mode = latest('mode_change');
  const level = latest('thinking_level_change');
  return {
    messages,
    models: modelsOf(source, branch, messages),
    thinking: thinkingOf(level?.thinkingLevel ?? source.thinking),
    ...wantedOf(level?.wanted),
    mode:
      mode === undefined || mode.mode === 'none'
        ? undefined
        : { mode: mode.mode, ...(mode.data === undefined ? {} : { data: mode.data }) },
    name: source.name,
    injectedRules: [
      ...new Set(all(source, branch, 'ttsr_injection').flatMap(({ injectedRules }) => [...injectedRules])),
    ],
    system: systemOf(source, branch),
  };
}

function messagesOf(source: ContextSource, branch: readonly EntryNode[]): readonly ContextMessage[] {
  const undone = undoneOf(source, branch);
  const edits = new Map(
    all(source, branch, 'context_edit').flatMap((edit) => (undone.has(edit.id) ? [] : [[edit.targetId, edit]])),
  );
  const messages: ContextMessage[] = [];
  for (const { id } of read(source, branch, undone)) {
    const entry = source.entry(id);
    if (entry === undefined || entry.type === 'foreign') continue;
    const edit = edits.get(id);
    const message =
      edit === undefined
        ? messageOfEntry(entry)
        : edit.replacement === null
          ? undefined
          : messageOfEntry({ ...edit, type: 'message', message: edit.replacement });
    const readable = message === undefined ? undefined : messageForModel(message);
    if (readable !== undefined) messages.push({ message: readable, entryId: id });
  }
  return pairedMessages(messages);
}

/** The entries that become messages, in the order in which they are read: a summary, what it left, what came since. */
function read(source: ContextSource, branch: readonly EntryNode[], undone: ReadonlySet<string>): readonly EntryNode[] {
  const at = branch.findLastIndex(({ id, type }) => type === 'compaction' && !undone.has(id));
  const node = branch[at];
  const compaction = node === undefined ? undefined : source.entry(node.id);
  if (node === undefined || compaction?.type !== 'compaction') return branch.filter(isMessage);
  const kept = branch.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  const isKept = kept !== -1 && kept <= at;
  if (!isKept) {
    source.problem?.(
      node.id,
      'lost-first-kept',
      `what the compaction ${node.id} keeps (${compaction.firstKeptEntryId}) is not before it: only what follows it is read`,
    );
  }
  const before = isKept ? branch.slice(kept, at).filter(isMessage) : [];
  return [node, ...before, ...branch.slice(at + 1).filter(isMessage)];
}

function isMessage({ type, role }: EntryNode): boolean {
  return type === 'branch_summary' || type === 'custom_message' || (type === 'message' && role !== 'system');
}

/** The ids of compactions and context edits that were taken back. */
function undoneOf(source: ContextSource, branch: readonly EntryNode[]): ReadonlySet<string> {
  const marks = branch.filter(({ customType }) => customType === compactionUndoneType);
  return new Set(
    marks.flatMap(({ id }) => {
      const entry = source.entry(id);
      const data: unknown = entry?.type === 'custom' ? entry.data : undefined;
      if (typeof data !== 'object' || data === null) return [];
      const edits: unknown = 'edits' in data && Array.isArray(data.edits) ? data.edits : [];
      return [...('targetId' in data ? [data.targetId] : []), ...(edits as unknown[])];
    }),
  ) as ReadonlySet<string>;
}

function all<T extends SessionEntry['type']>(
  source: ContextSource,
  branch: readonly EntryNode[],
  type: T,
): readonly Of<T>[] {
  return branch.flatMap((node) => {
    const entry = node.type === type ? source.entry(node.id) : undefined;
    return entry?.type === type ? [entry as Of<T>] : [];
  });
}

function latestOf(source: ContextSource, branch: readonly EntryNode[]) {
  return <T extends SessionEntry['type']>(type: T): Of<T> | undefined => {
    const node = branch.findLast((one) => one.type === type);
    const entry = node === undefined ? undefined : source.entry(node.id);
    return entry?.type === type ? (entry as Of<T>) : undefined;
  };
}

function modelsOf(
  source: ContextSource,
  branch: readonly EntryNode[],
  messages: readonly ContextMessage[],
): Readonly<Record<string, string>> {
  const models = new Map<string, string>();
  for (const { role, provider, modelId } of all(source, branch, 'model_change'))
    if (modelId !== '') models.set(role ?? 'default', provider === '' ? modelId : `${provider}/${modelId}`);
  if (models.has('default')) return Object.fromEntries(models);
  // No entry says it: what answered last, or what the first version wrote into the header.
  const last = messages.findLast(({ message }) => message.role === 'assistant')?.message;
  const answered = last?.role === 'assistant' && last.model !== '' ? `${last.provider}/${last.model}` : source.model;
  return Object.fromEntries(answered === undefined ? models : [...models, ['default', answered]]);
}

/** Every level there is: TypeScript says when one is missing. */
const levels: Readonly<Record<Thinking, true>> = {
  off: true,
  minimal: true,
  low: true,
  medium: true,
  high: true,
  xhigh: true,
  max: true,
};

function thinkingOf(level: string | undefined): Thinking | undefined {
  return level !== undefined && Object.hasOwn(levels, level) ? (level as Thinking) : undefined;
}

function wantedOf(level: string | undefined): Pick<SessionContext, 'wantedThinking'> {
  const wanted = level === 'default' ? level : thinkingOf(level);
  return wanted === undefined ? {} : { wantedThinking: wanted };
}

function systemOf(source: ContextSource, branch: readonly EntryNode[]): SystemEntryMessage | undefined {
  for (const { id } of branch.filter(({ type, role }) => type === 'message' && role === 'system').reverse()) {
    const entry = source.entry(id);
    // pi also writes patches of the head, which say nothing that could be sent as it is.
    if (entry?.type === 'message' && entry.message.role === 'system' && entry.message.content !== '')
      return entry.message;
  }
  return undefined;
}
