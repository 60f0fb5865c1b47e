import { type Message, messageForModel, messageOfEntry } from 'kern/contracts';
import { isRecord } from '../extension.ts';

/** Messages as a model reads them: what only the program knows of is left out. */
export function convertToLlm(messages: readonly unknown[]): readonly Message[] {
  return messages.flatMap((message): readonly Message[] => {
    if (!isRecord(message)) return [];
    const { content } = message;
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const known = ['user', 'assistant', 'toolResult', 'custom'].includes(String(message.role));
    const read = known ? ({ ...message, content: parts } as unknown as Message) : fromEntry(message);
    const readable = read === undefined ? undefined : messageForModel(read);
    if (readable === undefined) return [];
    // The model reads what a plugin says as if the person had.
    return [readable.role === 'custom' ? { ...readable, role: 'user' as const } : readable];
  });
}

/** A message that only stands in files: what a person ran, or files that were named. */
function fromEntry(message: Record<string, unknown>): Message | undefined {
  return messageOfEntry({ type: 'message', id: '', parentId: null, timestamp: '', message } as never);
}

const limit = 2_000;
const cut = (text: string): string =>
  text.length <= limit ? text : `${text.slice(0, limit)}\n[… ${text.length - limit} more characters]`;

/** A conversation as one text, for a model that is to write about it. */
export function serializeConversation(messages: readonly Message[]): string {
  return messages.map(told).filter(Boolean).join('\n\n');
}

function told(message: Message): string {
  const words = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  switch (message.role) {
    case 'user':
    case 'custom':
      return `[User]: ${words}`;
    case 'toolResult':
      return `[Tool result]: ${cut(words)}`;
    case 'assistant': {
      const calls = message.content.flatMap((part) =>
        part.type === 'toolCall' ? [`${part.name}(${JSON.stringify(part.arguments)})`] : [],
      );
      return [
        ...(words === '' ? [] : [`[Assistant]: ${words}`]),
        ...(calls.length === 0 ? [] : [`[Assistant tool calls]: ${calls.join('; ')}`]),
      ].join('\n\n');
    }
  }
}

/** Four characters a token, and so many for an image. */
export function estimateTokens(message: Message): number {
  const size = message.content.reduce((sum, part) => {
    if (part.type === 'text') return sum + part.text.length;
    if (part.type === 'thinking') return sum + part.thinking.length;
    if (part.type === 'image') return sum + 4_800;
    return sum + part.name.length + JSON.stringify(part.arguments).length;
  }, 0);
  return Math.ceil(size / 4);
}
