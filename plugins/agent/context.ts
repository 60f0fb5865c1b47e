import type { AssistantMessage, Message, ToolResultMessage } from 'kern/contracts';

/**
 * A kept message as a model may read it again; undefined when nothing of it is left. Thinking that was cut off has no
 * signature, and wires refuse it; an assistant message without content is none.
 */
export function forModel(message: Message): Message | undefined {
  if (message.role !== 'assistant') return message;
  const wasCut = message.stopReason === 'aborted' || message.stopReason === 'error';
  const content = wasCut ? message.content.filter((part) => part.type !== 'thinking') : message.content;
  if (content.length === 0) return undefined;
  return content.length === message.content.length ? message : { ...message, content };
}

/**
 * Pairs calls and results: a call without a result gets one, a result whose call is not before it goes. For messages
 * that a plugin has cut or reordered; what is kept in the session is always paired.
 */
export function paired(messages: readonly Message[]): readonly Message[] {
  const out: Message[] = [];
  let open: { readonly calls: Map<string, string>; readonly message: AssistantMessage } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    for (const [id, name] of open.calls) out.push(missing(id, name, open.message.timestamp));
    open = undefined;
  };
  for (const message of messages) {
    if (message.role === 'toolResult') {
      if (open?.calls.delete(message.toolCallId) === true) out.push(message);
      continue;
    }
    close();
    out.push(message);
    if (message.role !== 'assistant') continue;
    const calls = message.content.filter((part) => part.type === 'toolCall');
    if (calls.length > 0) open = { calls: new Map(calls.map((call) => [call.id, call.name])), message };
  }
  close();
  return out;
}

function missing(toolCallId: string, toolName: string, timestamp: number): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId,
    toolName,
    content: [{ type: 'text', text: 'The result of this call is not available.' }],
    isError: true,
    timestamp,
  };
}
