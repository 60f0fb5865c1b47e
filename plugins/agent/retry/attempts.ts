import type { AssistantMessage } from 'kern/contracts';

/** A reply as it came, or what came of it. */
export interface Attempt {
  readonly message: AssistantMessage;
  /** What ended it; undefined when it ended by itself or was stopped. */
  readonly failure: unknown;
  /** Takes it out of what the model reads; it stays in the session. */
  hide(): void;
}

/** The request is made again, or this is how the turn's reply ends. */
export type Verdict = { readonly again: true } | { readonly again: false; readonly failure: unknown };

/** The tries of one turn. What they do about a failure may take as long as it takes, but ends with the signal. */
export interface Attempts {
  judge(attempt: Attempt, signal: AbortSignal): Promise<Verdict>;
}

/** Every failure is the end. */
export const onlyOne: Attempts = {
  judge: async ({ failure }, signal) => ({ again: false, failure: signal.aborted ? undefined : failure }),
};

/** Something of it may have been taken for the answer: text, or a call that was complete. */
export function hasShown({ content }: AssistantMessage): boolean {
  return content.some((part) => part.type === 'toolCall' || (part.type === 'text' && part.text.trim() !== ''));
}
