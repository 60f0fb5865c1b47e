import type { ContextMessage } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import type { Ground } from './plan.ts';
import type { SentHead, Tokens } from './tokens.ts';

/**
 * What takes how much of a context, for a person who has to make room. By estimate, also where a reply has counted: what
 * the whole takes more than was estimated is of no part in particular.
 */
export function whatIsBig(entries: readonly ContextMessage[], head: SentHead, tokens: Tokens): string {
  const about = (estimate: number): string => `~${estimate.toLocaleString('en-US')}`;
  const system = tokens.head({ system: head.system, tools: [] });
  const faces = tokens.tools(head.tools);
  const messages = tokens.all(entries);
  const parts = [
    `the system prompt ${about(system)}`,
    `${head.tools.length} ${head.tools.length === 1 ? 'tool' : 'tools'} ${about(faces)}`,
    `${entries.length} ${entries.length === 1 ? 'message' : 'messages'} ${about(messages)}`,
  ];
  const largest = entries.reduce<ContextMessage | undefined>(
    (most, entry) => (most === undefined || tokens.of(entry.message) > tokens.of(most.message) ? entry : most),
    undefined,
  );
  if (largest !== undefined)
    parts.push(`the largest of them, ${nameOf(largest)}, ${about(tokens.of(largest.message))}`);
  return parts.join(', ');
}

function nameOf({ message }: ContextMessage): string {
  switch (message.role) {
    case 'user':
      return 'of the person';
    case 'assistant':
      return 'a reply';
    case 'toolResult':
      return `a result of ${message.toolName}`;
    case 'custom':
      return message.customType === 'kern.compaction'
        ? 'the summary of earlier ones'
        : `a note (${message.customType})`;
  }
}

/** Why nothing was done, with what is big and the next step. */
export function nothingToCompact({ entries, head, tokens, measured, budget, reason }: Ground): KernError {
  if (reason === 'manual')
    return new KernError('nothing_to_compact', 'there is nothing to compact: only the last turn is there', {
      hint: 'compact when more has been said',
    });
  const counted = (count: number): string => Math.round(count).toLocaleString('en-US');
  const message = `the context takes about ${counted(measured.tokens)} of ${counted(budget.window)} tokens, and nothing of it can be summed up. By estimate: ${whatIsBig(entries, head, tokens)}`;
  return new KernError('nothing_to_compact', message, { hint: whatToDo(head, tokens, budget.limit / measured.ratio) });
}

function whatToDo(head: SentHead, tokens: Tokens, limit: number): string {
  if (tokens.head(head) > limit / 2)
    return 'use a model with a larger context, switch off tools or plugins that are not needed, or shorten the instructions';
  return 'use a model with a larger context, start a new session, or send less at once';
}
