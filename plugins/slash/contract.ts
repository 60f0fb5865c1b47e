import { defineService, type Origin } from 'kern/plugin';
import type { PromptTemplate, Skill, SlashCommand } from '../discovery/contract.ts';

/** A text that a person has asked for by its name. */
export type InvokedText = {
  /** As it stands in its file, without what is above it. */
  readonly text: string;
  /** What was typed behind the name. */
  readonly args: string;
  readonly origin: Origin;
} & (
  | { readonly kind: 'slash-command'; readonly item: SlashCommand }
  | { readonly kind: 'prompt'; readonly item: PromptTemplate }
  | { readonly kind: 'skill'; readonly item: Skill }
);

/** Makes what the model reads of texts that a person asks for. */
export interface InvokedTexts {
  /**
   * The text with the arguments put in, and the output of its shell lines in their places: of those that may run. Each line
   * is asked about like a call of the model. Rejects where it is given up, by the signal.
   */
  textFor(invoked: InvokedText, signal: AbortSignal): Promise<string>;
}

/** Makes what the model reads of texts that a person asks for: a command, a prompt template, a skill. */
export const invokedTexts = defineService<InvokedTexts>({ id: 'invoked-texts', level: 'builtin' });
