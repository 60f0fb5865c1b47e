import type { AssistantMessage, Message, ToolCall, ToolResultMessage, UserMessage } from 'kern/contracts';

/**
 * A kept message as a model may read it again; undefined when nothing of it is left. Thinking that was cut off has no
 * signature, and wires refuse it; an assistant message that says nothing and calls nothing is none.
 */
export function forModel(message: Message): Message | undefined {
  if (message.role !== 'assistant') return message;
  if (!message.content.some(saysSomething)) return undefined;
  if (message.stopReason !== 'aborted' && message.stopReason !== 'error') return message;
  const content = message.content.filter((part) => part.type !== 'thinking' || part.thinkingSignature !== undefined);
  return content.length === message.content.length ? message : { ...message, content };
}

/**
 * Messages that a plugin has cut, reordered or made up, as every wire takes them: each call is followed by its one
 * result, in order, and a result stands nowhere else; nothing is empty; the first message is not the model's, nor is
 * the last. What is kept in the session is valid as it is: `original` is what the plugin was given.
 */
export function valid(messages: readonly Message[], original: readonly Message[]): readonly Message[] {
  const given = Array.isArray(messages) ? messages.filter(isMessage) : original;
  const said = paired(given.flatMap((message) => readable(message) ?? []));
  if (said.length === 0) return [original.findLast(isAsked) ?? asked('Go on.', 0)];
  const first = said[0];
  const last = said.at(-1);
  return [
    ...(first === undefined || isAsked(first) ? [] : [asked('(What was said before is not shown.)', first.timestamp)]),
    ...said,
    ...(last?.role === 'assistant' ? [asked('Go on.', last.timestamp)] : []),
  ];
}

function isMessage(value: unknown): value is Message {
  return (
    typeof value === 'object' &&
    value !== null &&
    'role' in value &&
    typeof value.role === 'string' &&
    ['user', 'custom', 'assistant', 'toolResult'].includes(value.role) &&
    'content' in value &&
    Array.isArray(value.content)
  );
}

const isAsked = ({ role }: Message): boolean => role === 'user' || role === 'custom';

/** What a wire leaves out because it is blank must not be counted on. */
function readable(message: Message): Message | undefined {
  if (message.role === 'assistant') return forModel(withDistinctCalls(message));
  return isAsked(message) && !message.content.some(saysSomething) ? undefined : message;
}

function saysSomething(part: Message['content'][number]): boolean {
  return part.type === 'text' ? part.text.trim() !== '' : part.type !== 'thinking';
}

function withDistinctCalls(message: AssistantMessage): AssistantMessage {
  const seen = new Set<string>();
  const content = message.content.filter((part) => {
    if (part.type !== 'toolCall') return true;
    if (seen.has(part.id)) return false;
    seen.add(part.id);
    return true;
  });
  return content.length === message.content.length ? message : { ...message, content };
}

/** Results belong to the reply before them, and go right after it, in the order of its calls. */
function paired(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message, at): readonly Message[] => {
    if (message.role === 'toolResult') return [];
    if (message.role !== 'assistant') return [message];
    const calls = message.content.filter((part) => part.type === 'toolCall');
    if (calls.length === 0) return [message];
    const results = resultsAfter(messages, at);
    return [message, ...calls.map((call) => results.get(call.id) ?? missing(call, message.timestamp))];
  });
}

/** All up to the next reply; of two for one call the first. */
function resultsAfter(messages: readonly Message[], at: number): ReadonlyMap<string, ToolResultMessage> {
  const results = new Map<string, ToolResultMessage>();
  for (let next = at + 1; next < messages.length; next += 1) {
    const message = messages[next];
    if (message === undefined || message.role === 'assistant') break;
    if (message.role === 'toolResult' && !results.has(message.toolCallId)) results.set(message.toolCallId, message);
  }
  return results;
}

function missing({ id, name }: ToolCall, timestamp: number): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId: id,
    toolName: name,
    content: [{ type: 'text', text: 'The result of this call is not available.' }],
    isError: true,
    timestamp,
  };
}

function asked(text: string, timestamp: number): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp };
}
