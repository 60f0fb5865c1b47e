import type { ContextMessage } from './contract.ts';
import { wellFormed } from './read/well-formed.ts';

type Message = ContextMessage['message'];
type Of<R extends Message['role']> = Extract<Message, { readonly role: R }>;

/**
 * A kept message as a model may read it again; undefined when nothing of it is left. Thinking that was cut off has no
 * signature, and wires refuse it; an assistant message that says nothing and calls nothing is none; half a character is
 * none either.
 */
export function messageForModel(message: Message): Message | undefined {
  if (message.role !== 'assistant') return wellFormed(message);
  if (!message.content.some(saysSomething)) return undefined;
  const wasCut = message.stopReason === 'aborted' || message.stopReason === 'error';
  const calls = new Set<string>();
  const content = message.content.filter((part) => {
    if (part.type === 'thinking') return !wasCut || part.thinkingSignature !== undefined;
    if (part.type === 'text') return true;
    if (calls.has(part.id)) return false;
    calls.add(part.id);
    return true;
  });
  return wellFormed(content.length === message.content.length ? message : { ...message, content });
}

function saysSomething(part: Message['content'][number]): boolean {
  return part.type === 'text' ? part.text.trim() !== '' : part.type !== 'thinking';
}

/**
 * Every call has its result right behind the message that makes it, and every result its call: a call without one gets
 * one that says so, a result whose call is not there goes. What was said between a call and its result follows the result.
 */
export function pairedMessages(messages: readonly ContextMessage[]): readonly ContextMessage[] {
  const paired: ContextMessage[] = [];
  for (const [at, item] of messages.entries()) {
    const { message } = item;
    if (message.role === 'toolResult') continue; // goes with its call
    paired.push(item);
    if (message.role === 'assistant') paired.push(...resultsOf(message, messages, at + 1));
  }
  return paired;
}

/** One for each call, in the order of the calls; they are looked for up to the next message of the model. */
function resultsOf(
  message: Of<'assistant'>,
  messages: readonly ContextMessage[],
  from: number,
): readonly ContextMessage[] {
  const calls = message.content.filter((part) => part.type === 'toolCall');
  if (calls.length === 0) return [];
  const found = new Map<string, ContextMessage>();
  for (let at = from; at < messages.length; at += 1) {
    const item = messages[at] as ContextMessage;
    if (item.message.role === 'assistant') break;
    if (item.message.role === 'toolResult' && !found.has(item.message.toolCallId))
      found.set(item.message.toolCallId, item);
  }
  return calls.map(
    ({ id, name }) => found.get(id) ?? { message: missingResult(id, name, message.timestamp), entryId: undefined },
  );
}

/** Stands for a result that nobody has. The same bytes each time it is made. */
export function missingResult(toolCallId: string, toolName: string, timestamp: number): Of<'toolResult'> {
  return {
    role: 'toolResult',
    toolCallId,
    toolName,
    content: [{ type: 'text', text: 'The result of this call is not available.' }],
    isError: true,
    timestamp,
  };
}
