import { type KernError, messageOf } from 'kern/plugin';
import type { Network } from '../contract.ts';
import { type Endpoint, hostOf } from './endpoint.ts';
import { badResponse, disconnected, ModelError } from './failure.ts';
import { type Answer, send } from './http.ts';
import type { DeltaMerger } from './merge.ts';

/**
 * A `fetch` for one request of a provider package: no redirects, silence is noticed, deltas are joined on the way. Without
 * a merger the bytes are handed on as they come: a stream that is no text.
 */
export function transport(
  endpoint: Endpoint,
  merger: DeltaMerger | undefined,
  alive: () => void,
  network?: Network,
): typeof fetch {
  const asked = async (input: string | URL | Request, init: RequestInit | undefined): Promise<Answered> => {
    const signal = init?.signal ?? undefined;
    const failed = (error: unknown): unknown => (signal?.aborted === true ? error : unreachable(endpoint, error));
    const headers = Object.fromEntries(
      Object.entries(init?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    const sent = { method: init?.method ?? 'GET', headers, body: String(init?.body ?? ''), signal, network };
    const answer = await send(addressed(String(input), endpoint), sent).catch((error: unknown) => {
      throw failed(error);
    });
    alive();
    const { status, statusText, ok, headers: said } = answer;
    if (status >= 300 && status < 400) throw await redirected(endpoint, answer);
    if (said.has('content-encoding') && said.get('content-encoding') !== 'identity') {
      await answer.pieces.return?.();
      throw badResponse(endpoint, `sent its answer as ${said.get('content-encoding')}, which was not asked for`);
    }
    const text = (): Promise<string> =>
      answer.text().catch((error: unknown) => {
        throw failed(error);
      });
    if (ok) await demandStream(endpoint, said, text);
    const pieces = ok ? answer.pieces : beginningOf(text);
    return { status, statusText, ok, headers: said, text, body: body(pieces, ok ? merger : undefined, alive, failed) };
  };
  // Of a Response the packages take these fields.
  return (input, init) => asked(input, init) as unknown as Promise<Response>;
}

function addressed(url: string, { query }: Endpoint): string {
  if (query === undefined) return url;
  const whole = new URL(url);
  for (const [name, value] of Object.entries(query)) whole.searchParams.set(name, value);
  return whole.href;
}

type Answered = Pick<Answer, 'status' | 'statusText' | 'ok' | 'headers' | 'text'> & {
  readonly body: ReadableStream<Uint8Array>;
};

/** What Node says of a connection, for people. */
export function unreachable(endpoint: Endpoint, error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const first: unknown = error instanceof AggregateError ? (error.errors[0] ?? error) : error;
  const code = typeof first === 'object' && first !== null && 'code' in first ? String(first.code) : '';
  switch (code) {
    case 'ECONNREFUSED':
      return disconnected(endpoint, 'nothing listens there (ECONNREFUSED)');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return disconnected(endpoint, `the host name is not known (${code})`);
    case 'ECONNRESET':
    case 'EPIPE':
      return disconnected(endpoint, `the connection was cut (${code})`);
    case 'ETIMEDOUT':
      return disconnected(endpoint, `no answer to the connection (${code})`);
    default:
      return isDistrust(code)
        ? badResponse(endpoint, `has a certificate that is not trusted: ${messageOf(first)} (${code})`, certificateHint)
        : disconnected(endpoint, `cannot be reached: ${messageOf(first)}`);
  }
}

const certificateHint =
  'where a company or a server of your own signs certificates, name its file in network.ca or NODE_EXTRA_CA_CERTS; else somebody may be in between';

/** What Node calls the reasons not to trust a certificate. None of them passes by itself. */
function isDistrust(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_/.test(code);
}

/** A key must not follow to wherever a server points. */
async function redirected(endpoint: Endpoint, { status, headers, pieces }: Answer): Promise<KernError> {
  const target = headers.get('location') ?? '';
  const host = URL.canParse(target, endpoint.baseUrl) ? new URL(target, endpoint.baseUrl).host : 'nowhere';
  await pieces.return?.();
  const where = host === hostOf(endpoint) ? 'another path' : host;
  const what = `answered ${status}, a redirect to ${where}; it was not followed, because the key would go there`;
  return badResponse(endpoint, what, 'set the base URL to the final address');
}

/** A page or a JSON document with status 200 is no stream: a wrong address, or a server that does not stream. */
async function demandStream(
  endpoint: Endpoint,
  headers: Answer['headers'],
  text: () => Promise<string>,
): Promise<void> {
  const type = headers.get('content-type') ?? '';
  if (!/\b(html|json)\b/i.test(type)) return;
  const body = (await text()).slice(0, 4_000);
  const said = /html/i.test(type) ? 'a web page' : body.replace(/\s+/g, ' ').slice(0, 200);
  throw badResponse(endpoint, `answered no stream of events but ${said}`, 'is the base URL right?');
}

function body(
  pieces: AsyncIterator<Uint8Array>,
  merger: DeltaMerger | undefined,
  alive: () => void,
  failed: (error: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await pieces.next().catch((error: unknown) => {
      throw failed(error);
    });
    alive();
    return done === true ? undefined : value;
  };
  const end = async (): Promise<void> => void (await pieces.return?.());
  if (merger !== undefined) return joined(next, merger, end);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await next();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel: end,
  });
}

function joined(
  next: () => Promise<Uint8Array | undefined>,
  merger: DeltaMerger,
  end: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const nextText = async (): Promise<string | undefined> => {
    const piece = merger.isOver ? await afterLast(next, end) : await next();
    return piece === undefined ? undefined : merger.push(decoder.decode(piece, { stream: true }));
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let text = await nextText();
      while (text === '') text = await nextText();
      const rest = text ?? merger.push(decoder.decode()) + merger.end();
      if (rest !== '') controller.enqueue(encoder.encode(rest));
      if (text === undefined) controller.close();
    },
    cancel: end,
  });
}

/** What a server says when it refuses, which may be a page without end. */
async function* beginningOf(text: () => Promise<string>): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(await text());
}

/** How long a server has to close its stream behind the last event. The connection is used again by who does. */
const graceMs = 1_000;

/** Once the last event came, the reply is whole, whatever becomes of the connection. */
async function afterLast(
  next: () => Promise<Uint8Array | undefined>,
  end: () => Promise<void>,
): Promise<Uint8Array | undefined> {
  const late = Promise.withResolvers<'late'>();
  const clock = setTimeout(() => late.resolve('late'), graceMs);
  const piece = await Promise.race([next().catch(() => undefined), late.promise]);
  clearTimeout(clock);
  if (piece !== 'late') return piece;
  end().catch(() => undefined); // it may have been cut meanwhile
  return undefined;
}
