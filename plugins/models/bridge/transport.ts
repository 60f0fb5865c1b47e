import { type KernError, messageOf } from 'kern/plugin';
import { defaultIdleTimeoutMs, type Endpoint, hostOf } from './endpoint.ts';
import { badResponse, disconnected, type ModelError, stalled } from './failure.ts';
import type { DeltaMerger } from './merge.ts';

/** A `fetch` for one request of a provider package: no redirects, silence is noticed, deltas are joined on the way. */
export function transport(endpoint: Endpoint, merger: DeltaMerger, alive: () => void): typeof fetch {
  return async (input, init) => {
    const failed = (error: unknown): unknown => (init?.signal?.aborted === true ? error : unreachable(endpoint, error));
    const response = await fetch(input, { ...init, redirect: 'manual' }).catch((error: unknown) => {
      throw failed(error);
    });
    alive();
    if (response.status >= 300 && response.status < 400) throw redirected(endpoint, response);
    if (!response.ok || response.body === null) return response;
    await demandStream(endpoint, response);
    const body = joined(response.body, merger, alive, failed);
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

/** Node says `fetch failed` and hides the reason in the cause. */
export function unreachable(endpoint: Endpoint, error: unknown): ModelError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const first: unknown = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  const code = typeof first === 'object' && first !== null && 'code' in first ? String(first.code) : '';
  switch (code) {
    case 'ECONNREFUSED':
      return disconnected(endpoint, 'nothing listens there (ECONNREFUSED)');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return disconnected(endpoint, `the host name is not known (${code})`);
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
      return disconnected(endpoint, `the connection was cut (${code})`);
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return disconnected(endpoint, `no answer to the connection (${code})`);
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      // Node's own limit; it is not ours to move.
      return stalled(endpoint, Math.min(endpoint.idleTimeoutMs ?? defaultIdleTimeoutMs, defaultIdleTimeoutMs));
    default:
      return disconnected(endpoint, `cannot be reached: ${messageOf(first)}`);
  }
}

/** A key must not follow to wherever a server points. */
function redirected(endpoint: Endpoint, response: Response): KernError {
  const target = response.headers.get('location') ?? '';
  const host = URL.canParse(target, endpoint.baseUrl) ? new URL(target, endpoint.baseUrl).host : 'nowhere';
  void response.body?.cancel();
  const where = host === hostOf(endpoint) ? 'another path' : host;
  const what = `answered ${response.status}, a redirect to ${where}; it was not followed, because the key would go there`;
  return badResponse(endpoint, what, 'set the base URL to the final address');
}

/** A page or a JSON document with status 200 is no stream: a wrong address, or a server that does not stream. */
async function demandStream(endpoint: Endpoint, response: Response): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (!/\b(html|json)\b/i.test(type)) return;
  const body = (await response.text()).slice(0, 4_000);
  const said = /html/i.test(type) ? 'a web page' : body.replace(/\s+/g, ' ').slice(0, 200);
  throw badResponse(endpoint, `answered no stream of events but ${said}`, 'is the base URL right?');
}

function joined(
  body: ReadableStream<Uint8Array>,
  merger: DeltaMerger,
  alive: () => void,
  failed: (error: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const next = async (): Promise<string | undefined> => {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw failed(error);
    });
    alive();
    return done ? undefined : merger.push(decoder.decode(value, { stream: true }));
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = await next();
      while (text === '') text = await next();
      const rest = text ?? merger.push(decoder.decode()) + merger.end();
      if (rest !== '') controller.enqueue(encoder.encode(rest));
      if (text === undefined) controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
