import { type InputAnswer, input as inputHook, type Prompt, type RunResult } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import type { RunClock, SessionBudget } from './budget.ts';
import type { LoopEnd } from './loop.ts';
import { resultOf } from './result.ts';
import { unlessAborted } from './runner-abort.ts';
import type { TurnGround } from './runner-turn.ts';

/** A prompt that plugins look at, before there is a run. */
export interface Offer {
  readonly controller: AbortController;
  readonly over: Promise<void>;
  end(): void;
}

export function openOffer(): Offer {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  return { controller: new AbortController(), over, end };
}

type Ground = Pick<TurnGround, 'view' | 'conversation' | 'broadcast'> & { readonly budget: SessionBudget };

/** What comes of a prompt for which there is no run; undefined where no plugin took it. Never rejects. */
export async function offered(
  { text, images = [] }: Prompt,
  { controller }: Offer,
  { view, conversation, broadcast, budget }: Ground,
): Promise<RunResult | undefined> {
  const { signal } = controller;
  const started = performance.now();
  using heard = conversation.hear();
  using clock = budget.run(() => controller.abort());
  let end: LoopEnd = { status: 'ok', turns: 0 };
  let said: string | undefined;
  try {
    const asked = view.enter(() => view.call(inputHook, { text, images, source: 'person', signal }));
    const taken = await unlessAborted(asked, signal);
    if (signal.aborted) end = { status: 'aborted', turns: 0 };
    else if (taken === undefined) return undefined;
    else if (taken.refused !== undefined) end = { status: 'error', turns: 0, failure: refusalOf(taken.refused) };
    else said = taken.say ?? '';
  } catch (error) {
    end = { status: 'error', turns: 0, failure: error };
  }
  end = timed(end, clock, budget);
  await conversation.store.flush().catch(() => {}); // told when it happened, and kept in memory
  if (said === undefined) broadcast.emit({ type: 'agent_settled', aborted: end.status === 'aborted' });
  return resultOf({ end, said, messages: heard.messages, durationMs: Math.round(performance.now() - started) });
}

function refusalOf({ code, message, hint }: NonNullable<InputAnswer['refused']>): KernError {
  return new KernError(code, message, hint === undefined ? {} : { hint });
}

/** Stopped, because time is up. */
export function timed(end: LoopEnd, { isOver }: RunClock, budget: SessionBudget): LoopEnd {
  if (!isOver || end.status !== 'aborted') return end;
  return { status: 'limit', turns: end.turns, failure: budget.timeError() };
}
