import type { ContextMessage, ForeignEntry, ImageContent, SessionEntry } from 'kern/contracts';
import { isSummary } from './cut.ts';
import type { Requests } from './details.ts';
import { textTokens } from './tokens.ts';

export interface RequestsOptions {
  readonly entries: readonly ContextMessage[];
  /** The first message that stays. */
  readonly first: number;
  /** What the last compaction kept, if its run goes on. */
  readonly before: Requests;
  readonly entry: (id: string) => SessionEntry | ForeignEntry | undefined;
  /** The latest stays whatever it takes; of the ones before as many as fit. */
  readonly room: number;
}

/**
 * What the person asked for in the run that goes on, as far as it no longer stays by itself. A run begins with what is
 * said after an answer; what is said between tool calls belongs to it.
 */
export function requestsOf({ entries, first, before, entry, room }: RequestsOptions): Requests {
  const said = entries.map((item, at) => ({ ...item, at })).filter((item) => isRequest(item, entry));
  const begin = said.findLast(({ at }) => beginsRun(entries, at, before.texts.length > 0));
  if (begin !== undefined && begin.at >= first) return { texts: [], images: [] };
  const own = said.filter(({ at }) => at < first && at >= (begin?.at ?? 0));
  const carried = begin === undefined ? before : { texts: [], images: [] };
  const texts = [...carried.texts];
  const images: ImageContent[] = [...carried.images];
  for (const { message } of own) {
    texts.push(message.content.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n'));
    for (const part of message.content) if (part.type === 'image') images.push(part);
  }
  return { texts: newest(texts, room), images: images.slice(-4) };
}

function isRequest({ message, entryId }: ContextMessage, entry: RequestsOptions['entry']): boolean {
  if (message.role !== 'user') return false;
  const kept = entryId === undefined ? undefined : entry(entryId);
  // Files that were named and commands that were run are read as a user message too.
  return kept?.type !== 'message' || kept.message.role === 'user';
}

function beginsRun(entries: readonly ContextMessage[], at: number, goesOn: boolean): boolean {
  for (let before = at - 1; before >= 0; before -= 1) {
    const { message } = entries[before] as ContextMessage;
    if (isSummary(entries[before])) return !goesOn;
    if (message.role === 'toolResult') return false;
    if (message.role === 'assistant') return !message.content.some((part) => part.type === 'toolCall');
  }
  return true;
}

function newest(texts: readonly string[], room: number): readonly string[] {
  let left = room;
  let from = texts.length;
  while (from > 0) {
    left -= textTokens(texts[from - 1] ?? '');
    if (left < 0 && from < texts.length) break;
    from -= 1;
  }
  return texts.slice(from);
}
