import type {
  AssistantMessage,
  Model,
  ModelRequest,
  StreamEvent,
  ToolFace,
  ToolResultMessage,
  UserMessage,
} from '../contract.ts';
import { noTokens, usageOf } from '../usage.ts';

/** A model for tests. */
export function aModel(changes: Partial<Model> = {}): Model {
  const model = { id: 'test/m', provider: 'test', model: 'm', name: 'M', contextWindow: 100_000, maxOutput: 4_000 };
  return { ...model, input: ['text', 'image'], thinking: ['off'], cost: null, available: true, ...changes };
}

export function aRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  const base = {
    model: aModel(),
    systemPrompt: 'Be brief.',
    messages: [said('hi')],
    tools: [],
    thinking: 'off' as const,
  };
  return { ...base, sessionId: 's1', purpose: 'turn', ...changes };
}

export function said(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: 1 };
}

export function answered(
  content: AssistantMessage['content'],
  changes: Partial<AssistantMessage> = {},
): AssistantMessage {
  const base = {
    role: 'assistant' as const,
    api: 'test',
    provider: 'test',
    model: 'm',
    stopReason: 'stop' as const,
    timestamp: 2,
  };
  return { ...base, content, usage: usageOf(noTokens, null), ...changes };
}

export function resulted(
  toolCallId: string,
  toolName: string,
  text: string,
  changes: Partial<ToolResultMessage> = {},
): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId,
    toolName,
    content: [{ type: 'text', text }],
    isError: false,
    timestamp: 3,
    ...changes,
  };
}

export const readFace: ToolFace = {
  name: 'read',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

export async function collected(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The message of a whole reply. */
export async function messageOfReply(stream: AsyncIterable<StreamEvent>): Promise<AssistantMessage> {
  const last = (await collected(stream)).at(-1);
  if (last?.type !== 'done') throw new Error('the stream did not end with done');
  return last.message;
}

/** What a stream fails with, and what came before. */
export async function failureOfReply(
  stream: AsyncIterable<StreamEvent>,
): Promise<{ readonly error: unknown; readonly before: readonly StreamEvent[] }> {
  const before: StreamEvent[] = [];
  try {
    for await (const event of stream) before.push(event);
  } catch (error) {
    return { error, before };
  }
  throw new Error('the stream did not fail');
}
