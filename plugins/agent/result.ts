import type { AssistantMessage, Message, RunResult } from 'kern/contracts';
import { codeOf, messageOf } from 'kern/plugin';
import type { LoopEnd } from './loop.ts';
import { addUsage, noUsage } from './usage.ts';

/** What a run comes to, from how its loop ended and what it said. */
export function resultOf(run: {
  readonly end: LoopEnd;
  readonly said: string | undefined;
  readonly messages: readonly Message[];
  readonly durationMs: number;
}): RunResult {
  const replies = run.messages.filter((message) => message.role === 'assistant');
  const usage = replies.map((message) => message.usage).reduce(addUsage, noUsage);
  const last = replies.at(-1);
  return {
    status: run.end.status,
    text: run.said ?? (last === undefined ? '' : textOf(last)),
    usage,
    cost: usage.cost?.total ?? null,
    turns: run.end.turns,
    durationMs: run.durationMs,
    error: run.end.status === 'error' || run.end.status === 'limit' ? errorOf(run.end.failure) : undefined,
    messages: run.messages,
  };
}

/** The text of a reply; its parts are paragraphs. */
export function textOf(message: AssistantMessage): string {
  return message.content
    .filter((part) => part.type === 'text')
    .map(({ text }) => text)
    .join('\n\n');
}

function errorOf(failure: unknown): NonNullable<RunResult['error']> {
  const hint = hintOf(failure);
  return {
    code: codeOf(failure) ?? 'run_failed',
    message: messageOf(failure),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Told by shape: the error may come from another copy of the class. */
function hintOf(failure: unknown): string | undefined {
  return typeof failure === 'object' && failure !== null && 'hint' in failure && typeof failure.hint === 'string'
    ? failure.hint
    : undefined;
}
