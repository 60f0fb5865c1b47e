import type { CompactionJob, Message } from 'kern/contracts';
import { shortText } from './prune.ts';

const shownRequests = 30;

/** How many messages are dropped, and what the person had asked for in them. */
export function droppedNote({ messages, turnPrefix, previousSummary, maxTokens }: CompactionJob): string {
  const dropped = [...messages, ...turnPrefix];
  const requests = dropped.flatMap((message) => requestLine(message) ?? []);
  const shown = requests.slice(-shownRequests);
  const more = requests.length - shown.length;
  const note = [
    `${dropped.length} earlier messages were dropped to save room; they were not summed up. Look at the files again before relying on what they held.`,
    ...(shown.length === 0
      ? []
      : [`The person had asked${more > 0 ? ` (the last ${shown.length} of ${requests.length})` : ''}:`, ...shown]),
  ].join('\n');
  if (previousSummary === undefined) return note;
  return `${shortText(previousSummary, Math.max(100, maxTokens - shown.length * 30))}\n\n---\n\n${note}`;
}

function requestLine(message: Message): string | undefined {
  if (message.role !== 'user') return undefined;
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return undefined;
  return `- ${line.length > 200 ? `${line.slice(0, 200).replace(/[\ud800-\udbff]$/, '')}…` : line}`;
}
