import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { messageOf } from 'kern/plugin';
import type { AssistantMessage, ModelRequest, StreamEvent } from '../contract.ts';
import { abortError } from './abort.ts';
import { defaultIdleTimeoutMs, type Endpoint } from './endpoint.ts';
import { badResponse, disconnected, ModelError, refused, stalled, unusable } from './failure.ts';
import { type DeltaFinder, DeltaMerger, longestEvent } from './merge.ts';
import { longestReply, Reply, type Signatures } from './reply.ts';
import { transport } from './transport.ts';

/** What differs between the wires. */
export interface Wire {
  readonly api: string;
  readonly deltas: DeltaFinder;
  readonly signatures: Signatures;
  /** Its stream is no text. */
  readonly isBinary?: boolean;
  /** Loads the package, and says what it is asked. `signal` ends this request. */
  prepare(
    fetch: typeof globalThis.fetch,
    signal: AbortSignal,
  ): Promise<{ readonly model: LanguageModelV4; readonly options: Options }>;
  /** How a reply ended, by its last event, where the package has lost it over an event that it could not read. */
  ending?(last: unknown): 'stop' | 'length' | 'content-filter' | 'error';
  /** The reply is complete. */
  done?(message: AssistantMessage): void;
}

export type Options = Omit<LanguageModelV4CallOptions, 'abortSignal'>;

/** One reply over a wire: abort, silence and every failure end it in one of our own errors. */
export async function* reply(
  wire: Wire,
  endpoint: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  if (signal.aborted) throw abortError();
  const wrong = unusable(endpoint);
  if (wrong !== undefined) throw wrong;
  // A reason of its own would turn an abort into a failed request: the packages know the default one only.
  const ending = new AbortController();
  const end = (): void => ending.abort();
  signal.addEventListener('abort', end, { once: true });
  const idleTimeoutMs = endpoint.idleTimeoutMs ?? defaultIdleTimeoutMs;
  let isStalled = false;
  const clock = setTimeout(() => {
    isStalled = true;
    end();
  }, idleTimeoutMs);
  const merger = new DeltaMerger(wire.deltas, () =>
    badResponse(endpoint, `sent an event of more than ${longestEvent / 1e6} million characters`),
  );
  try {
    const { model, options } = await wire.prepare(
      transport(endpoint, wire.isBinary === true ? undefined : merger, () => clock.refresh(), request.network),
      ending.signal,
    );
    const { stream } = await model.doStream({ ...options, abortSignal: ending.signal });
    const reader = stream.getReader();
    const made = new Reply(wire.api, request, wire.signatures, (delta) => merger.split(delta));
    let broken: ModelError | undefined;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value.type === 'error') {
        broken ??= brokenBy(value.error, endpoint);
        continue;
      }
      // One generator for all of it: each more costs 7 ms for 20,000 deltas.
      for (const event of made.take(value)) {
        if (signal.aborted) throw abortError();
        yield event;
      }
      if (made.isEndless) throw badResponse(endpoint, `sent more than ${longestReply / 1e6} million characters`);
    }
    if (broken === undefined && made.finish?.finishReason.unified === 'error' && merger.isOver)
      made.endAs(wire.ending?.(merger.last));
    const unified = made.finish?.finishReason.unified;
    if (broken !== undefined || unified === undefined || unified === 'interrupted' || unified === 'error') {
      const why = made.finish?.finishReason.raw;
      throw (
        broken ?? disconnected(endpoint, `the reply broke off before its end${why === undefined ? '' : ` (${why})`}`)
      );
    }
    const last = made.end();
    const { message } = last.at(-1) as Extract<StreamEvent, { type: 'done' }>; // so it ends
    wire.done?.(message);
    yield* last;
  } catch (error) {
    if (signal.aborted) throw abortError();
    throw isStalled ? stalled(endpoint, idleTimeoutMs) : failureOf(endpoint, error);
  } finally {
    clearTimeout(clock);
    signal.removeEventListener('abort', end);
    end(); // whoever leaves early ends the request
  }
}

/** An error inside a stream ends it; only a reply that breaks off is said when all that came has been handed on. */
function brokenBy(error: unknown, endpoint: Endpoint): ModelError | undefined {
  if (isTolerable(error)) return undefined;
  const failure = failureOf(endpoint, error);
  if (failure.code !== 'model_disconnected') throw failure;
  return failure;
}

type Described = {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly value?: unknown;
  readonly cause?: unknown;
};

/** An event of a kind the package does not know yet: the reply goes on without it, unless it reports an error. */
function isTolerable(error: unknown): boolean {
  const { name, value } = described(error);
  return name === 'AI_TypeValidationError' && !(typeof value === 'object' && value !== null && 'error' in value);
}

/** Any failure of a provider package as one of ours. Nothing of the package's error is kept: it holds the request. */
function failureOf(endpoint: Endpoint, error: unknown): ModelError {
  const own = ownCause(error);
  if (own !== undefined) return own;
  const { name, message, value } = described(error);
  const call = error as { statusCode?: unknown; responseBody?: unknown; responseHeaders?: Record<string, string> };
  if (typeof call.statusCode === 'number' && call.statusCode >= 400) {
    const body =
      typeof call.responseBody === 'string' && call.responseBody !== '' ? call.responseBody : String(message);
    return refused(endpoint, { status: call.statusCode, body, headers: call.responseHeaders });
  }
  if (name === 'AI_InvalidResponseDataError' && /finish reason/.test(String(message))) {
    return disconnected(endpoint, 'the reply broke off before its end');
  }
  if (name === 'AI_TypeValidationError') return refused(endpoint, { body: JSON.stringify(value) });
  if (typeof name === 'string' && /^AI_|Error$/.test(name))
    return badResponse(endpoint, `sent what cannot be read: ${messageOf(error).split('\n')[0]}`);
  return refused(endpoint, { body: JSON.stringify(withoutData(error)) });
}

/** An error of ours that the package has wrapped. */
function ownCause(error: unknown): ModelError | undefined {
  let cause = error;
  for (let depth = 0; depth < 6 && cause !== undefined; depth += 1) {
    if (cause instanceof ModelError) return cause;
    ({ cause } = described(cause));
  }
  return undefined;
}

function described(error: unknown): Described {
  return typeof error === 'object' && error !== null ? (error as Described) : {};
}

function withoutData(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('data' in error)) return error;
  const { data: _, ...rest } = error;
  return rest;
}
