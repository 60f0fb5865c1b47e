import type { Message } from 'kern/contracts';
import { shortText } from './prune.ts';
import { textTokens } from './tokens.ts';

/** Enough to see what a result was about; whoever needs all of it calls the tool again. */
const resultTokens = 500;
const argumentTokens = 250;

/** A conversation as text to be summed up, a piece a message. Reasoning and pictures are left out. */
export function transcriptOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => pieceOf(message));
}

/** Joined to records of at most `tokens` each. A piece that is larger by itself is shortened in its middle. */
export function recordsOf(pieces: readonly string[], tokens: number): readonly string[] {
  const records: string[] = [];
  let current: string[] = [];
  let size = 0;
  for (const piece of pieces) {
    const fits = shortText(piece, tokens);
    const more = textTokens(fits) + 1;
    if (size + more > tokens && current.length > 0) {
      records.push(current.join('\n\n'));
      current = [];
      size = 0;
    }
    current.push(fits);
    size += more;
  }
  if (current.length > 0) records.push(current.join('\n\n'));
  return records;
}

function pieceOf(message: Message): readonly string[] {
  switch (message.role) {
    case 'user':
      return [`[Person]\n${textOf(message)}`];
    case 'custom':
      return [`[Note: ${message.customType}]\n${textOf(message)}`];
    case 'toolResult':
      return [
        `[${message.isError ? 'Error' : 'Result'} of ${message.toolName}]\n${shortText(textOf(message), resultTokens)}`,
      ];
    case 'assistant': {
      const lines = message.content.flatMap((part) => {
        if (part.type === 'text') return part.text.trim() === '' ? [] : [part.text];
        if (part.type !== 'toolCall') return [];
        return [`→ ${part.name} ${shortText(part.invalidArguments ?? JSON.stringify(part.arguments), argumentTokens)}`];
      });
      if (message.stopReason === 'aborted') lines.push('(stopped by the person)');
      if (message.stopReason === 'error') lines.push(`(failed: ${message.errorMessage ?? 'unknown'})`);
      return lines.length === 0 ? [] : [`[Agent]\n${lines.join('\n')}`];
    }
  }
}

function textOf({ content }: Exclude<Message, { role: 'assistant' }>): string {
  return content.map((part) => (part.type === 'text' ? part.text : '(a picture)')).join('\n');
}
