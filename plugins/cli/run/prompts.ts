import type { Prompt } from 'kern/contracts';
import { attach, splitFiles } from './files.ts';

/**
 * The prompts of a line. Files and what was piped in belong to the first. Plain words are one message; as soon as one
 * of them holds a space, the shell's quotes were meant, and each is a message.
 */
export function promptsOf(words: readonly string[], piped: string | undefined, cwd: string): readonly Prompt[] {
  const { files: named, messages } = splitFiles(words, cwd);
  const { files, images } = attach(named, cwd);
  const [first, ...others] = messagesOf(messages);
  const parts = [pipedText(piped), first ?? ''].filter((part) => part.trim() !== '');
  // A message that says nothing is none to a model.
  const text = parts.length === 0 && files.length > 0 ? `Here is ${named.join(', ')}.` : joined(parts);
  const opening =
    text === '' ? [] : [{ text, ...(images.length === 0 ? {} : { images }), ...(files.length === 0 ? {} : { files }) }];
  return [...opening, ...others.map((message) => ({ text: message }))];
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
