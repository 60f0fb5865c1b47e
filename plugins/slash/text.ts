import type { PromptTemplate, SlashCommand, TextDialect } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { filledIn } from './fill.ts';

/** The text that goes to the model. */
export async function textFor(item: SlashCommand | PromptTemplate, args: string, signal: AbortSignal): Promise<string> {
  const text = 'expand' in item && item.expand !== undefined ? await item.expand(args, signal) : undefined;
  if (text !== undefined) return text;
  const read = await item.read?.(signal);
  if (read === undefined)
    throw new KernError('command_empty', `/${item.name} has no text`, { hint: 'A command has expand, run or read.' });
  return withShellNote(filledIn(read.trim(), args, item.dialect), item.dialect);
}

const shellLines: Readonly<Partial<Record<TextDialect, RegExp>>> = {
  claude: /!`[^`\n]+`/,
  opencode: /!`[^`\n]+`/,
  kern: /!`[^`\n]+`/,
  gemini: /!\{[^}\n]+\}/,
};

/** Other agents run such lines before the model is asked. Here the model runs them, as any command of its: asked for, and seen. */
function withShellNote(text: string, dialect: TextDialect = 'kern'): string {
  const line = shellLines[dialect]?.exec(text)?.[0];
  if (line === undefined) return text;
  return `${text}\n\n(In this text, ${line} and its like stand for the output of a command. None has been run: run those whose output you need.)`;
}
