import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ProxyOptions {
  /** Where a tunnel to a host leads, in place of the host. Default: where it says. */
  readonly leadsTo?: Readonly<Record<string, number>>;
  /** It refuses every tunnel with this status. */
  readonly refuses?: number;
  /** It answers nothing. */
  readonly isMute?: boolean;
}

/** A proxy on loopback that knows CONNECT. Every byte that it could read is in `seen`. */
export async function connectProxy({ leadsTo = {}, refuses, isMute = false }: ProxyOptions = {}) {
  const asked: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  let seen = '';
  const server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(501).end();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined); // the client has gone
  });
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    asked.push(request);
    if (isMute) return;
    if (refuses !== undefined) {
      socket.end(`HTTP/1.1 ${refuses} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(request.url ?? '') ?? [];
    const to = leadsTo[host];
    const onward = to === undefined ? connect(Number(port), host) : connect(to, '127.0.0.1');
    sockets.add(onward);
    onward.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      socket.on('data', (bytes) => {
        seen += bytes.toString('latin1');
      });
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    onward.on('close', () => sockets.delete(onward));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    get seen() {
      return seen;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
