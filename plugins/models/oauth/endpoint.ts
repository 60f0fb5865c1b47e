import { ModelError } from '../bridge/failure.ts';
import { send } from '../bridge/http.ts';
import type { Network } from '../contract.ts';
import type { OAuthDefinition } from './definition.ts';

/** The longest answer that is read. */
const mostBytes = 1_000_000;

/**
 * A `fetch` for the OAuth package: over the connection that requests of models take (proxy, CA), without redirects. It
 * speaks the server's own dialect: JSON in, and errors that come with status 200, out.
 */
export function endpointFetch({ tokenBody, tokenUrl, headers }: OAuthDefinition, way: Way) {
  return async (url: string, options: FetchOptions): Promise<Response> => {
    const asJson = tokenBody === 'json' && url === tokenUrl;
    const { body } = options;
    const sent = {
      ...options.headers,
      ...headers,
      ...(asJson ? { 'content-type': 'application/json' } : {}),
    };
    const text = body === undefined ? '' : asJson ? JSON.stringify(Object.fromEntries(body)) : body.toString();
    return ask(url, { method: options.method, headers: sent, body: text }, way);
  };
}

/** Until when, and by which way. */
export interface Way {
  readonly signal: AbortSignal;
  readonly network: Network | undefined;
}

interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams;
}

/** Asks a server that deals in tokens. It is down, or busy: a `model_disconnected`, which passes. */
export async function ask(
  url: string,
  request: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  { signal, network }: Way,
): Promise<Response> {
  const { host } = new URL(url);
  const { method, headers, body = '' } = request;
  const answer = await send(url, { method, headers, body, signal, network }).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason;
    const code = typeof error === 'object' && error !== null && 'code' in error ? ` (${String(error.code)})` : '';
    throw new ModelError('model_disconnected', `${host}, which signs in, cannot be reached${code}`, {
      hint: 'check the network and try again',
    });
  });
  const { status } = answer;
  if (status >= 300 && status < 400) {
    await answer.pieces.return?.();
    throw new ModelError('model_bad_response', `${host} answered ${status}, a redirect, which is not followed`);
  }
  const text = await answer.text();
  if (text.length > mostBytes) throw new ModelError('model_bad_response', `${host} answered at great length`);
  if (status === 429 || status >= 500)
    throw new ModelError('model_overloaded', `${host}, which signs in, answered ${status}`, {
      hint: 'try again in a moment',
    });
  const isError = status === 200 && /^\s*\{[^}]*"error"\s*:\s*"/.test(text);
  const type = answer.headers.get('content-type') ?? 'application/json';
  return new Response(text, { status: isError ? 400 : status, headers: { 'content-type': type } });
}

/** The standard wants TLS; on this machine nobody listens in. */
export function isThisMachine(url: string): boolean {
  return /^(127(\.\d+){3}|localhost|\[::1\])$/.test(new URL(url).hostname);
}
