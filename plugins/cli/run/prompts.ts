import type { Prompt } from 'kern/contracts';
import { attach, splitFiles } from './files.ts';

/**
 * The prompts of a line. Files and what was piped in belong to the first. Plain words are one message; as soon as one
 * of them holds a space, the shell's quotes were meant, and each is a message.
 */
export function promptsOf(words: readonly string[], piped: string | undefined, cwd: string): readonly Prompt[] {
  const { files, messages } = splitFiles(words, cwd);
  const { text, images } = attach(files, cwd);
  const [first, ...others] = messagesOf(messages);
  const parts = [pipedText(piped), text, first ?? ''].filter((part) => part.trim() !== '');
  const opening =
    parts.join('').trim() === '' && images.length === 0
      ? []
      : [{ text: joined(parts), ...(images.length === 0 ? {} : { images }) }];
  return [...opening, ...others.filter((message) => message.trim() !== '').map((message) => ({ text: message }))];
}

/** Words as messages: see above. */
export function messagesOf(words: readonly string[]): readonly string[] {
  const isQuoted = words.some((word) => /\s/.test(word.trim()));
  return (isQuoted ? words : [words.join(' ')]).filter((message) => message.trim() !== '');
}

const pipedText = (piped: string | undefined): string => (piped === undefined || piped.trim() === '' ? '' : piped);

/** Each part on lines of its own. */
function joined(parts: readonly string[]): string {
  return parts.map((part, at) => (at < parts.length - 1 && !part.endsWith('\n') ? `${part}\n` : part)).join('');
}
