import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from './certificate.ts';

/** A request as it came. */
export interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Of the client: the same where a connection is used again. */
  readonly port: number | undefined;
  /** The request's JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it freely
  readonly body: any;
}

/** A piece of an answer: text, a pause, the connection cut, or silence until the client goes. */
export type Piece = string | Uint8Array | { readonly waitMs: number } | 'CUT' | 'HANG';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly Piece[];
  /** Not even a status comes. */
  readonly isMute?: boolean;
}

/** A model's server on loopback that answers by a script: one answer a request, the last again and again. */
export function modelServer(...answers: readonly Answer[]) {
  return started(answers, 'http');
}

/** The same over TLS, with a certificate that nobody vouches for. */
export async function secretModelServer(...answers: readonly Answer[]) {
  const certificate = selfSigned();
  return { ...(await started(answers, certificate)), certificate };
}

async function started(answers: readonly Answer[], protocol: 'http' | ReturnType<typeof selfSigned>) {
  const heard: Heard[] = [];
  const gone: Promise<unknown>[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    heard.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      text,
      port: request.socket.remotePort,
      body: json(text),
    });
    gone.push(once(response, 'close'));
    const answer = answers[Math.min(heard.length, answers.length) - 1];
    if (answer === undefined) response.writeHead(404).end();
    else await send(response, answer);
  };
  const server = protocol === 'http' ? createServer(respond) : createSecureServer(protocol, respond);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${protocol === 'http' ? 'http' : 'https'}://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    port,
    heard,
    /** Resolves when the client has let go of its nth request. */
    released: async (nth: number): Promise<void> => void (await gone[nth]),
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function send(response: ServerResponse, answer: Answer): Promise<void> {
  if (answer.isMute !== true) {
    response.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers });
    response.flushHeaders();
  }
  const closed = once(response, 'close');
  for (const piece of answer.pieces) {
    if (response.destroyed) return;
    if (piece === 'HANG') return;
    if (piece === 'CUT') {
      await new Promise((resolve) => setTimeout(resolve, 20)); // what was written before has to arrive
      response.destroy();
      return;
    }
    if (typeof piece === 'object' && 'waitMs' in piece)
      await new Promise((resolve) => setTimeout(resolve, piece.waitMs));
    else if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  }
  response.end();
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not every request is JSON
  }
}

/** The events of Chat Completions. */
export function chatEvents(...chunks: readonly object[]): string[] {
  return [
    ...chunks.map(
      (chunk) =>
        `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', ...chunk })}\n\n`,
    ),
    'data: [DONE]\n\n',
  ];
}

export function chatDelta(delta: object, finish: string | null = null): object {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The events of Anthropic Messages, from `message_start` to `message_stop`. */
export function anthropicEvents(
  blocks: readonly WireEvent[],
  end: { readonly stop?: string; readonly usage?: object } = {},
): string[] {
  const usage = { input_tokens: 12, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 1 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const all: WireEvent[] = [
    { type: 'message_start', message },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason: end.stop ?? 'end_turn', stop_sequence: null },
      usage: { output_tokens: 5, ...end.usage },
    },
    { type: 'message_stop' },
  ];
  return all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

export function anthropicBlock(index: number, block: object, ...deltas: readonly object[]): WireEvent[] {
  return [
    { type: 'content_block_start', index, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** A text in pieces of `size` bytes, also in the middle of characters and events. */
export function inPieces(events: readonly string[], size: number): Uint8Array[] {
  const bytes = Buffer.from(events.join(''), 'utf8');
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}
