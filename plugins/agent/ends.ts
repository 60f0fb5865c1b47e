import type { AssistantMessage, CustomMessage, ToolCall } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { announcementType } from './announce.ts';

/** How a reply ended: `cut` at the output limit, `refused`, or with a call that was announced and never came. */
export type Ending = 'whole' | 'cut' | 'refused' | 'lost-call';

export function endingOf({ stopReason, content }: AssistantMessage): Ending {
  if (stopReason === 'length') return 'cut';
  if (stopReason === 'refusal') return 'refused';
  return stopReason === 'toolUse' && !content.some(({ type }) => type === 'toolCall') ? 'lost-call' : 'whole';
}

/** A reply that did not end well is not acted upon: its last call may be half of what was meant. */
export function whyNoneRuns(
  message: AssistantMessage,
  stopped: string | undefined,
): ((call: ToolCall) => string) | undefined {
  if (stopped !== undefined) return ({ name }) => `${name} was not run: ${stopped}.`;
  switch (message.stopReason) {
    case 'aborted':
      return ({ name }) => `${name} was not run: the turn was aborted.`;
    case 'error':
      return ({ name }) => `${name} was not run: the reply failed (${message.errorMessage ?? 'unknown error'}).`;
    case 'refusal':
      return ({ name }) => `${name} was not run: the model declined to answer.`;
    case 'length':
      return ({ name }) =>
        `${name} was not run: the reply hit the output limit, so its calls may be cut off. Make fewer or smaller calls.`;
    default:
      return undefined;
  }
}

/** A last reply that is no answer, said as an error a person can act on. */
export function shortfallOf(ending: Ending): KernError | undefined {
  switch (ending) {
    case 'cut':
      return new KernError('model_output_limit', "the reply hit the model's output limit and is cut off", {
        hint: 'ask it to go on, or ask for less at once',
      });
    case 'refused':
      return new KernError('model_refusal', 'the model declined to answer', {
        hint: 'put the request differently, go back to before it, or use another model',
      });
    case 'lost-call':
      return new KernError('model_lost_call', 'the model said that it calls a tool, but no call came', {
        hint: 'ask it to go on; if it stays so, the model or its server does not handle tools well: use another',
      });
    case 'whole':
      return undefined;
  }
}

/** What the model is told once, before a lost call is an error. */
export function lostCallNotice(): CustomMessage {
  const text =
    'Your reply ended as if it called a tool, but no call arrived. Make the call again, or give your answer.';
  const content = [{ type: 'text' as const, text }];
  return { role: 'custom', customType: announcementType, content, display: false, timestamp: Date.now() };
}
