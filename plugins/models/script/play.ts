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
  if (turn.reasoning !== undefined) {
    const contentIndex = content.length;
    const deltas = piecesOf(turn.reasoning, turn.chunk);
    const thinking = deltas.join('');
    content.push({ type: 'thinking', thinking });
    events.push(
      { type: 'thinking_start', contentIndex },
      ...deltas.map((delta) => ({ type: 'thinking_delta' as const, contentIndex, delta })),
      { type: 'thinking_end', contentIndex, content: thinking },
    );
  }
  if (turn.text !== undefined) {
    const contentIndex = content.length;
    const deltas = piecesOf(turn.text, turn.chunk);
    const text = deltas.join('');
    content.push({ type: 'text', text });
    events.push({ type: 'text_start', contentIndex });
    for (const delta of deltas) events.push({ type: 'text_delta', contentIndex, delta });
    events.push({ type: 'text_end', contentIndex, content: text });
  }
  for (const [at, call] of turn.calls.entries()) {
    const contentIndex = content.length;
    const json = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
    const toolCall: ToolCall = {
      type: 'toolCall',
      id: call.id ?? `call_${nth}_${at + 1}`,
      name: call.name,
      ...toolArguments(json),
    };
    content.push(toolCall);
    events.push({ type: 'toolcall_start', contentIndex, id: toolCall.id, toolName: call.name });
    for (const delta of piecesOf(json, Math.ceil(json.length / call.split)))
      events.push({ type: 'toolcall_delta', contentIndex, delta });
    events.push({ type: 'toolcall_end', contentIndex, toolCall });
  }
  events.push({
    type: 'done',
    message: messageOf(content, turn.stop ?? (turn.calls.length > 0 ? 'toolUse' : 'stop'), turn.usage, request),
  });
  return events;
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
