import {
  type AssistantMessage,
  type ModelRequest,
  type StopReason,
  type StreamEvent,
  type ToolCall,
  toolArguments,
  usageOf,
} from 'kern/contracts';
import type { Turn } from './turn.ts';

export const scriptApi = 'script';

/** Everything a turn sends, `done` included. `nth` counts the turns of the script, for call ids that are not given. */
export function eventsOf(turn: Turn, nth: number, request: ModelRequest): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  const content: AssistantMessage['content'][number][] = [];
  let calls = 0;
  for (const block of blocksOf(turn)) {
    const contentIndex = content.length;
    if ('call' in block) {
      calls += 1;
      content.push(playCall(block.call, `call_${nth}_${calls}`, contentIndex, events));
    } else if ('text' in block) {
      const deltas = piecesOf(block.text, turn.chunk);
      const text = deltas.join('');
      content.push({ type: 'text', text });
      events.push({ type: 'text_start', contentIndex });
      for (const delta of deltas) events.push({ type: 'text_delta', contentIndex, delta });
      events.push({ type: 'text_end', contentIndex, content: text });
    } else {
      const deltas = piecesOf(block.reasoning, turn.chunk);
      const thinking = deltas.join('');
      content.push({ type: 'thinking', thinking });
      events.push({ type: 'thinking_start', contentIndex });
      for (const delta of deltas) events.push({ type: 'thinking_delta', contentIndex, delta });
      events.push({ type: 'thinking_end', contentIndex, content: thinking });
    }
  }
  const message = messageOf(content, turn.stop ?? (calls > 0 ? 'toolUse' : 'stop'), turn.usage, request);
  events.push({ type: 'done', message });
  return events;
}

function blocksOf({ reasoning, text, calls, content }: Turn): NonNullable<Turn['content']> {
  if (content !== undefined) return content;
  return [
    ...(reasoning === undefined ? [] : [{ reasoning }]),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map((call) => ({ call })),
  ];
}

function playCall(call: Turn['calls'][number], id: string, contentIndex: number, events: StreamEvent[]): ToolCall {
  const json = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
  const toolCall: ToolCall = { type: 'toolCall', id: call.id ?? id, name: call.name, ...toolArguments(json) };
  events.push({ type: 'toolcall_start', contentIndex, id: toolCall.id, toolName: call.name });
  for (const delta of piecesOf(json, Math.ceil(json.length / call.split)))
    events.push({ type: 'toolcall_delta', contentIndex, delta });
  events.push({ type: 'toolcall_end', contentIndex, toolCall });
  return toolCall;
}

function messageOf(
  content: AssistantMessage['content'],
  stopReason: StopReason,
  usage: Turn['usage'],
  request: ModelRequest,
): AssistantMessage {
  const { provider, model, cost } = request.model;
  return {
    role: 'assistant',
    content,
    api: scriptApi,
    provider,
    model,
    usage: usageOf(usage, cost),
    stopReason,
    timestamp: Date.now(),
  };
}

/** A list is the pieces; a text is cut into pieces of `size`, never inside a character. */
function piecesOf(text: string | readonly string[], size: number): readonly string[] {
  if (typeof text !== 'string') return text;
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + Math.max(1, size));
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '') && end < text.length) end += 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

export function isDelta(event: StreamEvent): boolean {
  return event.type === 'text_delta' || event.type === 'thinking_delta' || event.type === 'toolcall_delta';
}
