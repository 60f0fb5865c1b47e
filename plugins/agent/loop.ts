import type { AgentEvent, AssistantMessage, Message, StreamEvent, ToolCall, ToolResultMessage } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { type BatchEnd, failBatch, type PreparedCall, runBatch } from './batch.ts';
import { type Author, readReply } from './reply.ts';

/** One turn, bound to one set of plugins: a request and the calls of its reply. */
export interface Turn {
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
  release(): void;
}

/** Everything the loop needs of the world. */
export interface LoopPort {
  readonly signal: AbortSignal;
  readonly graceMs: number;
  openTurn(index: number): Promise<Turn>;
  /** What to say between turns, and when the model would stop. Asking takes it from the queue. */
  steering(): readonly Message[];
  followUps(): readonly Message[];
  emit(event: AgentEvent): void;
}

export type LoopEnd =
  | { readonly status: 'ok' | 'aborted'; readonly turns: number; readonly failure?: undefined }
  | { readonly status: 'error'; readonly turns: number; readonly failure: unknown };

/**
 * Turn after turn, until the model calls no tool and nothing waits, the run is aborted, or a request fails. An abort
 * never starts another turn. Every tool call that is kept has its result, whatever happened.
 */
export async function runLoop(first: readonly Message[], port: LoopPort): Promise<LoopEnd> {
  let waiting: readonly Message[] = [...first, ...port.steering()];
  for (let index = 0; ; index += 1) {
    // Turns that wait for nothing outside would otherwise leave no moment in which a signal is heard.
    if (index > 0) await new Promise((resolve) => setImmediate(resolve));
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
    waiting = port.steering();
    if (end.goesOn || waiting.length > 0) continue;
    waiting = port.followUps();
    if (waiting.length > 0) continue;
    const shortfall = shortfallOf(end.message);
    return shortfall === undefined ? { status: 'ok', turns } : { status: 'error', turns, failure: shortfall };
  }
}

interface TurnEnd {
  readonly message: AssistantMessage;
  /** Tool results wait for the model's answer. */
  readonly goesOn: boolean;
  readonly failure: unknown;
}

async function runTurn(turn: Turn, index: number, waiting: readonly Message[], port: LoopPort): Promise<TurnEnd> {
  port.emit({ type: 'turn_start', turnIndex: index });
  for (const message of [...turn.notices, ...waiting]) {
    port.emit({ type: 'message_start', message });
    await turn.keep(message);
  }
  const { message, failure } = await reply(turn, port);
  const { results, terminate } = await runCalls(message, turn, port);
  port.emit({ type: 'turn_end', turnIndex: index, message, toolResults: results });
  return { message, goesOn: results.length > 0 && !terminate, failure };
}

async function reply(turn: Turn, port: LoopPort): Promise<{ message: AssistantMessage; failure: unknown }> {
  const { message, failure } = await readReply(() => turn.request(port.signal), turn.author, {
    signal: port.signal,
    started: (begun) => port.emit({ type: 'message_start', message: begun }),
    update: (assistantMessageEvent) => port.emit({ type: 'message_update', assistantMessageEvent }),
  });
  const kept = await turn.keep(message);
  // What was kept is what runs: a call that a plugin took out of the message is not made.
  return { message: kept.role === 'assistant' ? kept : message, failure };
}

async function runCalls(message: AssistantMessage, turn: Turn, port: LoopPort): Promise<BatchEnd> {
  const calls = message.content.filter((part) => part.type === 'toolCall');
  if (calls.length === 0) return { results: [], terminate: false };
  const keep = (result: ToolResultMessage): Promise<Message> => turn.keep(result);
  const emit = (event: AgentEvent): void => port.emit(event);
  const why = whyNoneRuns(message, port.signal.aborted);
  if (why !== undefined) return failBatch(calls, why, { keep, emit });
  return runBatch(calls, {
    signal: port.signal,
    graceMs: port.graceMs,
    isSequential: (batch) => turn.isSequential(batch),
    prepare: (call) => turn.prepare(call, port.signal),
    keep,
    emit,
  });
}

/** A reply that did not end well is not acted upon: its last call may be half of what was meant. */
function whyNoneRuns(message: AssistantMessage, aborted: boolean): ((call: ToolCall) => string) | undefined {
  if (aborted || message.stopReason === 'aborted') return (call) => `${call.name} was not run: the turn was aborted.`;
  if (message.stopReason === 'error')
    return (call) => `${call.name} was not run: the reply failed (${message.errorMessage ?? 'unknown error'}).`;
  if (message.stopReason === 'refusal') return (call) => `${call.name} was not run: the model declined to answer.`;
  if (message.stopReason === 'length')
    return (call) =>
      `${call.name} was not run: the reply hit the output limit, so its calls may be cut off. Make fewer or smaller calls.`;
  return undefined;
}

/** A last reply that is no answer, said as an error a person can act on. */
function shortfallOf(message: AssistantMessage): KernError | undefined {
  if (message.stopReason === 'length')
    return new KernError('model_output_limit', "the reply hit the model's output limit and is cut off", {
      hint: 'ask it to go on, or ask for less at once',
    });
  if (message.stopReason === 'refusal')
    return new KernError('model_refusal', 'the model declined to answer', {
      hint: 'put the request differently, or use another model',
    });
  return undefined;
}
