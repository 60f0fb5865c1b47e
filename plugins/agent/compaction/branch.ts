import type { CustomMessage, EntryNode, ForeignEntry, Message, SessionEntry, SessionStore } from 'kern/contracts';
import { collectFiles, type FileLists, noFiles } from './files.ts';
import { textTokens } from './tokens.ts';
import { transcriptOf } from './transcript.ts';

/** What is on the way from a leaf back to where another branch leaves it, as text; the newest that fits, oldest first. */
export interface LeftBranch {
  readonly pieces: readonly string[];
  readonly files: FileLists;
}

export function leftBranch(
  store: Pick<SessionStore, 'nodes' | 'entry'>,
  from: string | null,
  to: string | null,
  room: number,
): LeftBranch {
  const messages: Message[] = [];
  let left = room;
  for (const id of idsLeft(store.nodes(), from, to)) {
    const message = messageOf(store.entry(id));
    if (message === undefined) continue;
    left -= textTokens(transcriptOf([message]).join('\n\n'));
    if (left < 0 && messages.length > 0) break;
    messages.push(message);
  }
  messages.reverse();
  return { pieces: transcriptOf(messages), files: collectFiles(noFiles, messages) };
}

/** From the leaf towards the deepest entry that both branches have, without it. */
function idsLeft(nodes: readonly EntryNode[], from: string | null, to: string | null): readonly string[] {
  const parents = new Map(nodes.map(({ id, parentId }) => [id, parentId]));
  const stays = new Set<string>();
  for (let id = to; id !== null && id !== undefined && !stays.has(id); id = parents.get(id) ?? null) stays.add(id);
  const left = new Set<string>();
  for (let id = from; id !== null && id !== undefined && !stays.has(id) && !left.has(id); id = parents.get(id) ?? null)
    left.add(id);
  return [...left];
}

function messageOf(entry: SessionEntry | ForeignEntry | undefined): Message | undefined {
  switch (entry?.type) {
    case 'message': {
      const { message } = entry;
      if (message.role === 'system') return undefined;
      if (message.role === 'fileMention')
        return note('files', `The person named: ${message.files.map(({ path }) => path).join(', ')}`);
      if (message.role === 'bashExecution')
        return message.excludeFromContext === true
          ? undefined
          : note('command', `$ ${message.command}\n${message.output}`);
      return message;
    }
    case 'custom_message':
      return note(entry.customType, textIn(entry.content));
    case 'branch_summary':
      return note('an earlier branch', entry.summary);
    case 'compaction':
      return note('what was before', entry.summary);
    default:
      return undefined;
  }
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? [part.text] : [],
    )
    .join('\n');
}

const note = (customType: string, text: string): CustomMessage => ({
  role: 'custom',
  customType,
  content: [{ type: 'text', text }],
  display: false,
  timestamp: 0,
});
