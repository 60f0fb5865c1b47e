import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeOf } from 'kern/plugin';

export interface Listener extends AsyncDisposable {
  readonly redirectUri: string;
  /** What the browser was sent back with. Only what carries the state of this sign-in counts. */
  readonly answer: Promise<URLSearchParams>;
}

export interface Redirect {
  readonly host: '127.0.0.1' | 'localhost';
  /** 0: any that is free. */
  readonly port: number;
  readonly path: string;
}

/** Waits on this machine for the browser to come back; undefined where the port it must have is taken. */
export async function listenForAnswer({ host, port, path }: Redirect, state: string): Promise<Listener | undefined> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isRight = request.method === 'GET' && url.pathname === path && url.searchParams.get('state') === state;
    const failed = url.searchParams.has('error');
    const text = !isRight
      ? 'This is not the answer that kern waits for.'
      : failed
        ? 'The sign-in was refused. The terminal says more; this page can be closed.'
        : 'Signed in. This page can be closed.';
    response.writeHead(isRight ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'",
      connection: 'close',
    });
    // Not before the page is on its way: after that no connection is spared.
    response.end(`<!doctype html><title>kern</title><p>${text}</p>`, () => {
      if (isRight) resolve(url.searchParams);
    });
  });
  const isListening = await begin(server, port);
  if (!isListening) return undefined;
  const { port: taken } = server.address() as AddressInfo; // of a server that listens
  return {
    redirectUri: `http://${host}:${taken}${path}`,
    answer: promise,
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function begin(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (codeOf(error) === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
}
