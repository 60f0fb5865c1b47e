import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventsOf, type Reply, type WireName, wireNames, wireOf } from './sse.ts';

/** A request, and when its first bytes came. */
export interface Arrival {
  readonly at: number;
  readonly path: string;
  readonly body: string;
  /** When the end of the reply was handed to the system; undefined as long as it was not. */
  repliedAt: number | undefined;
}

/** A model on loopback. */
export interface ModelServer extends AsyncDisposable {
  /** Without `/v1`. */
  readonly url: string;
  readonly arrivals: readonly Arrival[];
}

/** `until` holds back the end of a reply; what came before it is sent. */
export type Scripted = Reply & { readonly until?: Promise<void> };

/** Starts a model that speaks all wires. Each request takes the next reply, the last one again and again. */
export async function modelServer(replies: readonly Scripted[]): Promise<ModelServer> {
  const arrivals: Arrival[] = [];
  // Made beforehand: the time it takes would count for whoever reads it.
  const prepared = replies.map(
    (reply, nth) => new Map(wireNames.map((wire) => [wire, packed(eventsOf(wire, reply, nth))])),
  );
  const answer = async (request: IncomingMessage, response: ServerResponse, at: number): Promise<void> => {
    const path = request.url ?? '';
    const body = await textOf(request);
    const wire: WireName | undefined = wireOf(path);
    const nth = Math.min(arrivals.length, replies.length - 1);
    const pieces = wire === undefined ? undefined : prepared[nth]?.get(wire);
    if (pieces === undefined) {
      response.writeHead(404).end();
      return;
    }
    const arrival: Arrival = { at, path, body, repliedAt: undefined };
    arrivals.push(arrival);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const closed = once(response, 'close');
    for (const piece of pieces.slice(0, -1)) {
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
      if (response.destroyed) return;
    }
    await replies[nth]?.until;
    arrival.repliedAt = performance.now();
    response.end(pieces.at(-1));
  };
  const server = createServer((request, response) => {
    const at = performance.now();
    // A client that goes away has its reasons; how it ended tells them.
    answer(request, response, at).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Events joined into pieces of about 64 KB, so that a slow reader is the one who is waited for; the last stands alone. */
export function packed(events: readonly string[], size = 65_536): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let piece = '';
  for (const event of events.slice(0, -1)) {
    piece += event;
    if (piece.length < size) continue;
    pieces.push(Buffer.from(piece));
    piece = '';
  }
  if (piece !== '') pieces.push(Buffer.from(piece));
  return [...pieces, Buffer.from(events.at(-1) ?? '')];
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
