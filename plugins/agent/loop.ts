import type { AgentEvent, AssistantMessage, Message, StreamEvent, ToolCall, ToolResultMessage } from 'kern/contracts';
import { type BatchEnd, failBatch, type PreparedCall, runBatch } from './batch.ts';
import { type Ending, endingOf, lostCallNotice, shortfallOf, whyNoneRuns } from './ends.ts';
import { whoInterrupted } from './interruption.ts';
import { type Author, readReply } from './reply.ts';
import type { Attempts } from './retry/attempts.ts';

/** One turn, bound to one set of plugins: a request and the calls of its reply. */
export interface Turn {
  /** Who answers the next request: after a fallback another than before. */
  readonly author: Author;
  /** Code that is called inside sees the turn's set of plugins. */
  enter<R>(fn: () => R): R;
  /** What changed since the last request; the model reads it before what waits. */
  readonly notices: readonly Message[];
  /** Asks the model, with everything kept so far. */
  request(signal: AbortSignal): Promise<AsyncIterable<StreamEvent>>;
  isSequential(calls: readonly ToolCall[]): boolean;
  prepare(call: ToolCall, signal: AbortSignal): Promise<PreparedCall>;
  /** Appends to the conversation and tells `message_end`; answers with the message as it was kept. Never rejects. */
  keep(message: Message): Promise<Message>;
  /** Takes a kept message out of what the model reads; it stays in the session. */
  hide(message: Message): void;
  release(): void;
}

/** Everything the loop needs of the world. */
export interface LoopPort {
  readonly signal: AbortSignal;
  readonly graceMs: number;
  /** Before a turn is opened: the moment to make room in the context. */
  beforeTurn(index: number): Promise<void>;
  openTurn(index: number): Promise<Turn>;
  /** What may be done about the failures of the turn that begins. */
  attempts(): Attempts;
  /** What is to be said in place of what goes on. Asking takes it from the queue. */
  interrupts(): readonly Message[];
  /**
   * A new signal that fires as soon as text comes for `interrupts`. It is asked for right after `interrupts`, so nothing
   * can come between.
   */
  interrupted(): AbortSignal;
  /** What to say between turns, and when the model would stop. Asking takes it from the queue. */
  steering(): readonly Message[];
  followUps(): readonly Message[];
  /** The model would stop, and nothing waits: what it is told to go on. `continued`: how often that happened. */
  beforeEnd?(message: AssistantMessage, continued: number): Promise<readonly Message[]>;
  /** Something waits in a queue. */
  isWaiting(): boolean;
  /** Before a tool does anything: what was asked is on the disk, if it can be written. */
  beforeCalls?(): Promise<void>;
  /** Why no other turn may begin: a limit is used up. */
  limit(): unknown;
  emit(event: AgentEvent): void;
}

export type LoopEnd =
  | { readonly status: 'ok' | 'aborted'; readonly turns: number; readonly failure?: undefined }
  | { readonly status: 'error' | 'limit'; readonly turns: number; readonly failure: unknown };

/** So many replies in a row may be of no use, although the model was told why, before the run ends. */
const mostStumbles = 3;
/** So often in a run a plugin may have the model go on where it would stop. */
const mostContinued = 8;

/**
 * Turn after turn, until the model calls no tool and nothing waits, the run is aborted, or a request fails. An abort
 * never starts another turn. Every tool call that is kept has its result, whatever happened.
 */
export async function runLoop(first: readonly Message[], port: LoopPort): Promise<LoopEnd> {
  const early = port.limit();
  if (early !== undefined) return { status: 'limit', turns: 0, failure: early };
  let waiting: readonly Message[] = [...first, ...port.steering()];
  let stumbles = 0;
  let continued = 0;
  for (let index = 0; ; index += 1) {
    // Turns that wait for nothing outside would otherwise leave no moment in which a signal is heard.
    if (index > 0) await new Promise((resolve) => setImmediate(resolve));
    if (port.signal.aborted) return { status: 'aborted', turns: index };
    await port.beforeTurn(index);
    if (port.signal.aborted) return { status: 'aborted', turns: index };
    const turn = await port.openTurn(index);
    let end: TurnEnd;
    try {
      if (port.signal.aborted) return { status: 'aborted', turns: index };
      end = await turn.enter(() => runTurn(turn, index, waiting, port));
    } finally {
      turn.release();
    }
    const turns = index + 1;
    if (port.signal.aborted) return { status: 'aborted', turns };
    if (end.failure !== undefined) return { status: 'error', turns, failure: end.failure };
    const { ending, goesOn } = end;
    stumbles = ending === 'lost-call' || (ending === 'cut' && goesOn) ? stumbles + 1 : 0;
    const shortfall = shortfallOf(ending);
    if (stumbles > mostStumbles) return { status: 'error', turns, failure: shortfall };
    // Before anything is taken from the queue: what waits there is not lost.
    const wantsMore = goesOn || port.isWaiting() || (ending === 'lost-call' && stumbles === 1);
    const limit = wantsMore ? port.limit() : undefined;
    if (limit !== undefined) return { status: 'limit', turns, failure: limit };
    waiting = [...port.interrupts(), ...port.steering()];
    if (goesOn || waiting.length > 0) continue;
    waiting = ending === 'lost-call' && stumbles === 1 ? [lostCallNotice()] : port.followUps();
    if (waiting.length > 0) continue;
    if (end.isSilent && shortfall === undefined && continued < mostContinued) {
      waiting = (await port.beforeEnd?.(end.message, continued)) ?? [];
      continued += 1;
      if (port.signal.aborted) return { status: 'aborted', turns };
      // What came meanwhile is said as well.
      waiting = [...waiting, ...port.interrupts(), ...port.steering()];
      if (waiting.length === 0) waiting = port.followUps();
      if (waiting.length > 0) {
        const over = port.limit();
        if (over !== undefined) return { status: 'limit', turns, failure: over };
        continue;
      }
    }
    return shortfall === undefined ? { status: 'ok', turns } : { status: 'error', turns, failure: shortfall };
  }
}

interface TurnEnd {
  readonly ending: Ending;
  /** Tool results wait for the model's answer. */
  readonly goesOn: boolean;
  readonly failure: unknown;
  readonly message: AssistantMessage;
  /** The reply called nothing. */
  readonly isSilent: boolean;
}

async function runTurn(turn: Turn, index: number, first: readonly Message[], port: LoopPort): Promise<TurnEnd> {
  port.emit({ type: 'turn_start', turnIndex: index });
  let waiting = [...turn.notices, ...first, ...port.interrupts()];
  while (waiting.length > 0) {
    for (const message of waiting) {
      port.emit({ type: 'message_start', message });
      await turn.keep(message);
    }
    // What came meanwhile interrupts a request that has not been made yet.
    waiting = [...port.interrupts()];
  }
  const signal = AbortSignal.any([port.signal, port.interrupted()]);
  const { message, ending, failure } = await reply(turn, port, signal);
  const { results, terminate } = await runCalls(message, turn, port, signal);
  port.emit({ type: 'turn_end', turnIndex: index, message, toolResults: results });
  return { ending, goesOn: results.length > 0 && !terminate, failure, message, isSilent: results.length === 0 };
}

interface Replied {
  readonly message: AssistantMessage;
  readonly ending: Ending;
  readonly failure: unknown;
}

/** Asks until there is a reply, or nothing more can be done about there being none. */
async function reply(turn: Turn, port: LoopPort, signal: AbortSignal): Promise<Replied> {
  const attempts = port.attempts();
  for (;;) {
    const { message, failure } = await readReply(() => turn.request(signal), turn.author, {
      signal,
      started: (begun) => port.emit({ type: 'message_start', message: begun }),
      update: (assistantMessageEvent) => port.emit({ type: 'message_update', assistantMessageEvent }),
    });
    const kept = await turn.keep(message);
    const verdict = await attempts.judge({ message, failure, hide: () => turn.hide(kept) }, signal);
    if (verdict.again) continue;
    // What was kept is what runs: a call that a plugin took out of the message is not made.
    const final = kept.role === 'assistant' ? kept : message;
    return { message: final, ending: endingOf(message), failure: verdict.failure };
  }
}

async function runCalls(message: AssistantMessage, turn: Turn, port: LoopPort, signal: AbortSignal): Promise<BatchEnd> {
  const calls = message.content.filter((part) => part.type === 'toolCall');
  if (calls.length === 0) return { results: [], terminate: false };
  const keep = (result: ToolResultMessage): Promise<Message> => turn.keep(result);
  const emit = (event: AgentEvent): void => port.emit(event);
  const whyStopped = (): string => (port.signal.aborted ? 'the turn was aborted' : whoInterrupted(signal));
  const why = whyNoneRuns(message, signal.aborted ? whyStopped() : undefined);
  if (why !== undefined) return failBatch(calls, why, { keep, emit });
  await port.beforeCalls?.();
  return runBatch(calls, {
    signal,
    whyStopped,
    graceMs: port.graceMs,
    isSequential: (batch) => turn.isSequential(batch),
    prepare: (call) => turn.prepare(call, signal),
    keep,
    emit,
  });
}
