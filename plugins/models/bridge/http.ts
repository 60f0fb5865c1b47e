import type { IncomingMessage } from 'node:http';
import type { Network } from '../contract.ts';

/** What a server answered; of a `Response` that, at which the provider packages look. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly headers: ReadonlyMap<string, string>;
  /** The body in pieces, as they come; whoever ends early lets go of the server. */
  readonly pieces: AsyncIterator<Uint8Array>;
  /** All of it, or its first 256 KB: what is read whole is an error, and says so at its beginning. */
  text(): Promise<string>;
}

const longestText = 262_144;

export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
  /** The way there, where it is not the straight one. */
  readonly network?: Network | undefined;
}

/** Whatever NODE_TLS_REJECT_UNAUTHORIZED says: it is set for other programs, and a key goes along here. */
export const checked = { rejectUnauthorized: true };

/**
 * Sends a request; a redirect is an answer like any other. Node's own `fetch`, and each of its classes, loads undici: 45 ms
 * of CPU on top of the 28 that Node 24 needs to start, where all of this takes 9.
 */
export async function send(url: string, { method, headers, body, signal, network }: Sent): Promise<Answer> {
  const agent = await network?.agentFor(url);
  // Not by an import: that looks at every export, and node:http has a WebSocket, which loads undici too.
  const client = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const own = { accept: '*/*', 'accept-encoding': 'identity' };
    const request = client.request(url, {
      ...checked,
      method,
      headers: { ...own, ...headers },
      ...(agent === undefined ? {} : { agent }),
    });
    let answered: IncomingMessage | undefined;
    // Its own `signal` would destroy a connection that the next request has already been given.
    const abort = (): void => {
      (answered ?? request).destroy();
      reject(signal?.reason); // at once, also where a way is still being made
    };
    signal?.addEventListener('abort', abort, { once: true });
    request.on('close', () => signal?.removeEventListener('abort', abort));
    request.on('error', (error) => reject(signal?.aborted === true ? signal.reason : error));
    request.once('response', (message) => {
      answered = message;
      resolve(answerOf(message));
    });
    request.end(body);
  });
}

function answerOf(message: IncomingMessage): Answer {
  // Whoever reads hears of it; an abort after the last piece concerns nobody.
  message.on('error', () => undefined);
  const status = message.statusCode ?? 0;
  const pieces: AsyncIterator<Buffer> = message[Symbol.asyncIterator]();
  return {
    status,
    statusText: message.statusMessage ?? '',
    ok: status >= 200 && status < 300,
    headers: new Map(Object.entries(message.headers).map(([name, value]) => [name, String(value)])),
    pieces,
    async text() {
      const decoder = new TextDecoder();
      let text = '';
      for (let step = await pieces.next(); step.done !== true; step = await pieces.next()) {
        text += decoder.decode(step.value, { stream: true });
        if (text.length < longestText) continue;
        await pieces.return?.();
        return text;
      }
      return text + decoder.decode();
    },
  };
}
