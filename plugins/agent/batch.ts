import {
  type AgentEvent,
  errorResult,
  type Message,
  type ToolCall,
  type ToolResult,
  type ToolResultMessage,
} from 'kern/contracts';
import { messageOf } from 'kern/plugin';

/** A call that was looked up, validated and allowed, or refused with the result that says why. */
export type PreparedCall =
  | {
      readonly state: 'ready';
      /** With which it runs: plugins may have changed them. */
      readonly args?: Readonly<Record<string, unknown>>;
      execute(onUpdate: (partial: ToolResult) => void): Promise<ToolResult>;
    }
  | { readonly state: 'refused'; readonly result: ToolResult };

export interface BatchPort {
  readonly signal: AbortSignal;
  /** Why the signal fired, once it has: `the turn was aborted`. */
  whyStopped(): string;
  /** How long an aborted tool may take to end by itself before its call is answered without it. */
  readonly graceMs: number;
  /** One by one, instead of side by side. */
  isSequential(calls: readonly ToolCall[]): boolean;
  prepare(call: ToolCall): Promise<PreparedCall>;
  /** Appends to the conversation and tells `message_end`. */
  keep(message: ToolResultMessage): Promise<Message>;
  emit(event: AgentEvent): void;
}

export interface BatchEnd {
  readonly results: readonly ToolResultMessage[];
  /** Every result of the batch says that the run ends. */
  readonly terminate: boolean;
}

interface Outcome {
  readonly result: ToolResult;
  readonly durationMs: number;
}

/**
 * Runs the calls of one reply and keeps a result for each, in source order. Side by side: all are prepared in source
 * order first, then run together, and end in the order in which they are done. One by one: each is kept before the
 * next is prepared, so that its effects are seen by the judgement of the next.
 */
export async function runBatch(calls: readonly ToolCall[], port: BatchPort): Promise<BatchEnd> {
  const outcomes = port.isSequential(calls) ? await oneByOne(calls, port) : await sideBySide(calls, port);
  return {
    results: outcomes.map(({ message }) => message),
    terminate: outcomes.length > 0 && outcomes.every(({ terminate }) => terminate),
  };
}

/** Answers every call without running any of them. */
export async function failBatch(
  calls: readonly ToolCall[],
  why: (call: ToolCall) => string,
  port: Pick<BatchPort, 'keep' | 'emit'>,
): Promise<BatchEnd> {
  const results: ToolResultMessage[] = [];
  for (const call of calls) {
    begin(call, port);
    const outcome = end(call, errorResult(why(call)), 0, port);
    results.push((await kept(call, outcome, port)).message);
  }
  return { results, terminate: false };
}

interface Kept {
  readonly message: ToolResultMessage;
  readonly terminate: boolean;
}

async function oneByOne(calls: readonly ToolCall[], port: BatchPort): Promise<readonly Kept[]> {
  const done: Kept[] = [];
  for (const call of calls) {
    begin(call, port);
    const prepared = await prepare(call, port);
    const outcome =
      prepared.state === 'refused' ? end(call, prepared.result, 0, port) : await execute(call, prepared, port);
    done.push(await kept(call, outcome, port));
  }
  return done;
}

async function sideBySide(calls: readonly ToolCall[], port: BatchPort): Promise<readonly Kept[]> {
  const running: (() => Promise<Outcome>)[] = [];
  for (const call of calls) {
    begin(call, port);
    const prepared = await prepare(call, port);
    if (prepared.state === 'ready') {
      running.push(() => execute(call, prepared, port));
    } else {
      const outcome = end(call, prepared.result, 0, port);
      running.push(async () => outcome);
    }
  }
  const outcomes = await Promise.all(running.map((run) => run()));
  const done: Kept[] = [];
  for (const [index, call] of calls.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) done.push(await kept(call, outcome, port));
  }
  return done;
}

async function prepare(call: ToolCall, port: BatchPort): Promise<PreparedCall> {
  if (port.signal.aborted) return { state: 'refused', result: errorResult(notRun(call, port)) };
  if (call.invalidArguments !== undefined)
    return { state: 'refused', result: errorResult(notAnObject(call, call.invalidArguments)) };
  try {
    // A person who is being asked may give up instead of answering: that ends the wait, too.
    const gaveUp = (): PreparedCall => ({ state: 'refused', result: errorResult(notRun(call, port)) });
    const prepared = await orAborted(port.prepare(call), { signal: port.signal, graceMs: 0 }, gaveUp);
    return port.signal.aborted ? gaveUp() : prepared;
  } catch (error) {
    return { state: 'refused', result: errorResult(`${call.name} could not be prepared: ${messageOf(error)}`) };
  }
}

const notRun = ({ name }: ToolCall, { whyStopped }: Pick<BatchPort, 'whyStopped'>): string =>
  `${name} was not run: ${whyStopped()}.`;

function notAnObject(call: ToolCall, came: string): string {
  const shown = came.length > 300 ? `${came.slice(0, 300)}…` : came;
  return `The arguments of ${call.name} are not a JSON object, so it was not run. Call it again with a complete JSON object. What came: ${shown}`;
}

function begin(call: ToolCall, port: Pick<BatchPort, 'emit'>): void {
  port.emit({ type: 'tool_execution_start', toolCallId: call.id, toolName: call.name, args: call.arguments });
}

function end(
  call: ToolCall,
  result: ToolResult,
  durationMs: number,
  port: Pick<BatchPort, 'emit'>,
  ran?: Readonly<Record<string, unknown>>,
): Outcome {
  port.emit({
    type: 'tool_execution_end',
    toolCallId: call.id,
    toolName: call.name,
    ...(ran === undefined || isAsSent(call, ran) ? {} : { args: ran }),
    result,
    isError: result.isError === true,
    durationMs,
  });
  return { result, durationMs };
}

/** What the model sent is there as it sent it; what is there beside are defaults. */
function isAsSent({ arguments: sent }: ToolCall, ran: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(sent).every(([key, value]) => JSON.stringify(ran[key]) === JSON.stringify(value));
}

async function execute(
  call: ToolCall,
  prepared: Extract<PreparedCall, { state: 'ready' }>,
  port: BatchPort,
): Promise<Outcome> {
  // Others of the batch were judged after this one, and the person may have given up then.
  if (port.signal.aborted) return end(call, errorResult(notRun(call, port)), 0, port);
  const started = performance.now();
  let isRunning = true;
  const onUpdate = (partialResult: ToolResult): void => {
    if (isRunning)
      port.emit({
        type: 'tool_execution_update',
        toolCallId: call.id,
        toolName: call.name,
        args: call.arguments,
        partialResult,
      });
  };
  let result: ToolResult;
  try {
    result = await orAborted(prepared.execute(onUpdate), port, () =>
      errorResult(`${call.name} was aborted and did not end within ${port.graceMs} ms; what it did so far may stand.`),
    );
  } catch (error) {
    result = errorResult(`${call.name} failed: ${messageOf(error)}`);
  }
  isRunning = false;
  return end(call, result, Math.round(performance.now() - started), port, prepared.args);
}

/** The work's own answer; after an abort only as long as the grace lasts, since no tool may hold up an abort. */
function orAborted<T>(
  work: Promise<T>,
  { signal, graceMs }: Pick<BatchPort, 'signal' | 'graceMs'>,
  late: () => T,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => resolve(late()), graceMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  });
}

async function kept(
  call: ToolCall,
  { result, durationMs }: Outcome,
  port: Pick<BatchPort, 'keep' | 'emit'>,
): Promise<Kept> {
  const message: ToolResultMessage = {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    content: result.content,
    ...(result.details === undefined ? {} : { details: result.details }),
    isError: result.isError === true,
    durationMs,
    timestamp: Date.now(),
  };
  port.emit({ type: 'message_start', message });
  const final = await port.keep(message);
  return { message: final.role === 'toolResult' ? final : message, terminate: result.terminate === true };
}
