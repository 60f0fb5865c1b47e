import { statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as breathe, setTimeout as wait } from 'node:timers/promises';
import {
  abortError,
  defaultIdleTimeoutMs,
  describeModel,
  type Model,
  type ModelEndpoint,
  ModelError,
  type ModelProvider,
  type ModelRequest,
  modelErrors,
  noTokens,
  readScript,
  type Script,
  type StreamEvent,
  usageOf,
} from 'kern/contracts';
import type { Turn } from './turn.ts';

/** How many turns each session has had of each file. It outlives the plugin's code: a reload must not rewind. */
export type Positions = Map<string, number>;

export interface ScriptOptions {
  /** The folder that relative paths start from, asked at each call. */
  readonly cwd: () => string;
  readonly positions: Positions;
  readonly idleTimeoutMs?: number | undefined;
}

/** The scripted model: a provider whose replies come from a file that the model's name is the path of. */
export function scriptProvider(options: ScriptOptions): ModelProvider {
  const read = reader();
  const fileOf = (name: string): string => path.resolve(options.cwd(), name);
  return {
    id: 'script',
    displayName: 'Scripted model',
    models: () => [],
    model: async (name) => modelOf(name, await read(fileOf(name), name)),
    stream: (request, signal) => play(fileOf(request.model.model), request, signal, read, options),
  };
}

function modelOf(name: string, script: Script): Model {
  const { contextWindow, reasoning } = script.model;
  return describeModel('script', name, {
    name: path.basename(name),
    contextWindow,
    thinking: reasoning ? ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] : ['off'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  });
}

type Read = (file: string, shown: string) => Promise<Script>;

/** Reads a file again only when it has changed. */
function reader(): Read {
  const known = new Map<string, { readonly stamp: string; readonly script: Promise<Script> }>();
  return async (file, shown) => {
    const found = statSync(file, { throwIfNoEntry: false });
    const stamp = `${found?.mtimeMs} ${found?.size} ${found?.ino}`;
    const before = known.get(file);
    if (before?.stamp === stamp) return before.script;
    const script = readScript(file, shown);
    known.set(file, { stamp, script });
    script.catch(() => known.delete(file));
    return script;
  };
}

async function* play(
  file: string,
  request: ModelRequest,
  signal: AbortSignal,
  read: Read,
  options: ScriptOptions,
): AsyncGenerator<StreamEvent> {
  if (signal.aborted) throw abortError();
  const shown = request.model.model;
  if (request.purpose === 'title') {
    yield* aside(request);
    return;
  }
  const script = await read(file, shown);
  const key = `${request.sessionId}\0${file}`;
  const next =
    request.purpose === 'turn'
      ? nextTurn(script, key, shown, options.positions)
      : nextSummary(script, `${key}\0summary`, options.positions);
  if (next === undefined) {
    yield* aside(request);
    return;
  }
  const { turn, nth } = next;
  const [{ unmet }, { eventsOf, isDelta }] = await Promise.all([import('./expect.ts'), import('./play.ts')]);
  const lines = unmet(turn.expect, request);
  if (lines.length > 0) throw unexpected(shown, nth, lines);
  const endpoint: ModelEndpoint = { provider: 'script', baseUrl: shown, idleTimeoutMs: options.idleTimeoutMs };
  const { error } = turn;
  if (error !== undefined && 'status' in error) throw refusal(endpoint, error);
  const events = eventsOf(turn, nth, request);
  const end = error === undefined ? undefined : breakingPoint(error, events.filter(isDelta).length);
  let sent = 0;
  for (const event of events) {
    if (signal.aborted) throw abortError();
    if (error !== undefined && end !== undefined && (sent >= end || event.type === 'done'))
      throw await breaking(endpoint, error, signal);
    yield event;
    if (!isDelta(event)) continue;
    sent += 1;
    if (turn.delayMs > 0) await wait(turn.delayMs, undefined, { signal });
    else if (sent % 256 === 0) await breathe(); // a long reply leaves room for a Ctrl-C
  }
}

type Failure = NonNullable<Turn['error']>;

/** After how many deltas it breaks; at the latest where `done` would come. */
function breakingPoint(error: Failure, deltas: number): number {
  if (!('disconnect' in error) || error.disconnect === 'after') return Number.POSITIVE_INFINITY;
  return error.disconnect === 'before' ? 0 : Math.ceil(deltas / 2);
}

/** What a reply breaks with; a stall takes its time. */
async function breaking(endpoint: ModelEndpoint, error: Failure, signal: AbortSignal): Promise<ModelError> {
  if (!('stall' in error)) {
    const message = `script (${endpoint.baseUrl}): the connection was cut, as the script says`;
    return new ModelError('model_disconnected', message, { hint: 'take `error` out of the turn for a whole reply' });
  }
  const idleTimeoutMs = endpoint.idleTimeoutMs ?? defaultIdleTimeoutMs;
  await wait(idleTimeoutMs, undefined, { signal });
  return modelErrors.stalled(endpoint, idleTimeoutMs);
}

function nextTurn(
  script: Script,
  key: string,
  shown: string,
  positions: Positions,
): { readonly turn: Turn; readonly nth: number } {
  const nth = (positions.get(key) ?? 0) + 1;
  const turn = script.turns[nth - 1] ?? (script.repeat === 'last' ? script.turns.at(-1) : undefined);
  if (turn === undefined) {
    const has = script.turns.length === 1 ? '1 turn' : `${script.turns.length} turns`;
    throw new ModelError('script_exhausted', `script exhausted: ${shown} has ${has}, and this is request ${nth}`, {
      hint: 'add a turn, or `repeat: last`',
    });
  }
  positions.set(key, nth);
  return { turn, nth };
}

function nextSummary(
  script: Script,
  key: string,
  positions: Positions,
): { readonly turn: Turn; readonly nth: number } | undefined {
  const nth = (positions.get(key) ?? 0) + 1;
  const turn = script.summaries[nth - 1];
  if (turn === undefined) return undefined;
  positions.set(key, nth);
  return { turn, nth };
}

function unexpected(shown: string, nth: number, lines: readonly string[]): ModelError {
  const message = [`script ${shown}, turn ${nth}: the request is not what the turn expects`, ...lines].join('\n');
  return new ModelError('script_expectation', message, {
    hint: 'change what leads to the request, or what the turn expects of it',
  });
}

function refusal(
  endpoint: ModelEndpoint,
  { status, body, retryAfter, code }: Extract<Failure, { status: number }>,
): ModelError {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const refused = modelErrors.refused(endpoint, { status, body, headers });
  if (code === undefined || code === refused.code) return refused;
  return new ModelError(code, refused.message, { status, retryAfterMs: refused.retryAfterMs });
}

/** A title takes no turn of the script, nor does a summary that it does not speak of. */
function* aside(request: ModelRequest): Generator<StreamEvent> {
  const text = request.purpose === 'title' ? 'A scripted session' : 'A scripted summary of the conversation so far.';
  const { provider, model, cost } = request.model;
  yield { type: 'text_start', contentIndex: 0 };
  yield { type: 'text_delta', contentIndex: 0, delta: text };
  yield { type: 'text_end', contentIndex: 0, content: text };
  const usage = usageOf(noTokens, cost);
  yield {
    type: 'done',
    message: {
      role: 'assistant',
      content: [{ type: 'text', text }],
      api: 'script',
      provider,
      model,
      usage,
      stopReason: 'stop',
      timestamp: Date.now(),
    },
  };
}
