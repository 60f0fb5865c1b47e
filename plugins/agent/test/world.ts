import type { AgentEvent, AssistantMessage, Message, StreamEvent, ToolCall, ToolResult } from 'kern/contracts';
import { expect } from 'vitest';
import type { PreparedCall } from '../batch.ts';
import { type LoopEnd, runLoop } from '../loop.ts';
import { type Attempts, onlyOne } from '../retry/attempts.ts';
import { noUsage } from '../usage.ts';

export type Reply = readonly StreamEvent[] | (() => AsyncIterable<StreamEvent>);

export const author = { api: 'fake', provider: 'fake', model: 'm' };
export const assistant = (
  content: AssistantMessage['content'],
  rest: Partial<AssistantMessage> = {},
): AssistantMessage => ({
  role: 'assistant',
  content,
  ...author,
  usage: noUsage,
  stopReason: content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop',
  timestamp: 0,
  ...rest,
});
export const done = (message: AssistantMessage): StreamEvent => ({ type: 'done', message });
export const text = (words: string): StreamEvent[] => [
  { type: 'text_start', contentIndex: 0 },
  { type: 'text_delta', contentIndex: 0, delta: words },
  { type: 'text_end', contentIndex: 0, content: words },
];
export const says = (words: string, rest: Partial<AssistantMessage> = {}): StreamEvent[] => [
  ...text(words),
  done(assistant([{ type: 'text', text: words }], rest)),
];
export const call = (id: string, name: string, args: Record<string, unknown> = {}): ToolCall => ({
  type: 'toolCall',
  id,
  name,
  arguments: args,
});
export const calls = (...list: ToolCall[]): StreamEvent[] => [done(assistant(list))];
export const user = (words: string): Message => ({
  role: 'user',
  content: [{ type: 'text', text: words }],
  timestamp: 0,
});
export const ok = (words: string, rest: Partial<ToolResult> = {}): ToolResult => ({
  content: [{ type: 'text', text: words }],
  ...rest,
});
export const wordsOf = (message: Message): string =>
  message.content.map((part) => ('text' in part ? part.text : part.type)).join('');

/** A tool that only says that it ran. */
export function noted(log: string[], entry: string): ToolResult {
  log.push(entry);
  return ok('');
}

export interface World {
  readonly replies: readonly Reply[];
  readonly tools?: Record<
    string,
    (call: ToolCall, signal: AbortSignal, onUpdate: (partial: ToolResult) => void) => Promise<ToolResult>
  >;
  readonly prepare?: (call: ToolCall) => Promise<PreparedCall> | PreparedCall | undefined;
  readonly sequential?: readonly string[];
  readonly steering?: string[];
  readonly followUps?: string[];
  readonly interrupts?: Interrupts;
  readonly attempts?: () => Attempts;
  readonly beforeTurn?: (index: number) => Promise<void>;
  readonly limit?: (turns: number) => unknown;
  readonly graceMs?: number;
  readonly notices?: (turn: number) => readonly Message[];
  readonly controller?: AbortController;
  readonly on?: (event: AgentEvent) => void;
  readonly keep?: (message: Message) => Message;
}

/** Texts that interrupt, as a session queues them. */
export class Interrupts {
  #texts: string[] = [];
  #controller = new AbortController();

  add(text: string, reason?: unknown): void {
    this.#texts.push(text);
    this.#controller.abort(reason);
  }

  take(): readonly string[] {
    return this.#texts.splice(0);
  }

  signal(): AbortSignal {
    this.#controller = new AbortController();
    return this.#controller.signal;
  }
}

export interface Ran {
  readonly end: LoopEnd;
  readonly events: readonly AgentEvent[];
  readonly lines: readonly string[];
  readonly kept: readonly Message[];
  /** The kept messages as each request saw them. */
  readonly requests: readonly (readonly Message[])[];
  /** What was hidden, as it was kept. */
  readonly hidden: readonly Message[];
  readonly open: number;
}

export async function run(world: World, first: readonly Message[] = [user('go')]): Promise<Ran> {
  const controller = world.controller ?? new AbortController();
  const kept: Message[] = [];
  const events: AgentEvent[] = [];
  const requests: (readonly Message[])[] = [];
  const hidden: Message[] = [];
  const ran = { open: 0, turns: 0 };
  const tell = (event: AgentEvent): void => {
    events.push(event);
    world.on?.(event);
  };
  const end = await runLoop(first, {
    signal: controller.signal,
    graceMs: world.graceMs ?? 2_000,
    emit: tell,
    beforeTurn: async (index) => world.beforeTurn?.(index),
    attempts: world.attempts ?? (() => onlyOne),
    isWaiting: () => (world.steering ?? []).length + (world.followUps ?? []).length > 0,
    limit: () => world.limit?.(ran.turns),
    interrupts: () => (world.interrupts?.take() ?? []).map(user),
    interrupted: () => world.interrupts?.signal() ?? new AbortController().signal,
    steering: () => (world.steering?.splice(0, 1) ?? []).map(user),
    followUps: () => (world.followUps?.splice(0, 1) ?? []).map(user),
    openTurn: async (index) => {
      ran.open += 1;
      ran.turns += 1;
      return {
        author,
        notices: world.notices?.(index) ?? [],
        enter: (fn) => fn(),
        request: async () => {
          requests.push(kept.filter((message) => !hidden.includes(message)));
          const reply = world.replies[requests.length - 1];
          if (reply === undefined) throw new Error('the test has no more replies');
          return typeof reply === 'function' ? reply() : stream(reply);
        },
        isSequential: (batch) => batch.some(({ name }) => world.sequential?.includes(name)),
        prepare: async (asked, signal) => {
          const prepared = await world.prepare?.(asked);
          if (prepared !== undefined) return prepared;
          const tool = world.tools?.[asked.name];
          if (tool === undefined)
            return { state: 'refused', result: ok(`unknown tool ${asked.name}`, { isError: true }) };
          return { state: 'ready', execute: (onUpdate) => tool(asked, signal, onUpdate) };
        },
        keep: async (message) => {
          const final = world.keep?.(message) ?? message;
          kept.push(final);
          tell({ type: 'message_end', message: final });
          return final;
        },
        hide: (message) => void hidden.push(message),
        release: () => {
          ran.open -= 1;
        },
      };
    },
  });
  return { end, events, lines: events.map(line), kept, requests, hidden, open: ran.open };
}

export async function* stream(events: readonly StreamEvent[]): AsyncGenerator<StreamEvent> {
  yield* events;
}

export function line(event: AgentEvent): string {
  switch (event.type) {
    case 'message_start':
    case 'message_end':
      return `${event.type} ${event.message.role === 'toolResult' ? `result ${event.message.toolCallId}` : event.message.role}`;
    case 'message_update':
      return `update ${event.assistantMessageEvent.type}`;
    case 'tool_execution_start':
    case 'tool_execution_update':
    case 'tool_execution_end':
      return `${event.type} ${event.toolCallId}`;
    default:
      return event.type;
  }
}

/** Every call that is kept has exactly one result after it, and no result stands alone. */
export function expectPaired(messages: readonly Message[]): void {
  const asked = messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : [])) : [],
  );
  const answered = messages.flatMap((message) => (message.role === 'toolResult' ? [message.toolCallId] : []));
  expect(answered).toEqual(asked);
}
