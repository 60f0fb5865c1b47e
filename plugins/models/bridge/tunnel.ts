import type { Agent, ClientRequest, ClientRequestArgs, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { messageOf } from 'kern/plugin';
import { ModelError } from './failure.ts';
import { checked } from './http.ts';
import type { ProxyAddress } from './proxy.ts';

/** How long a proxy may take to let a connection through. */
const patienceMs = 30_000;

export interface Way {
  readonly proxy: ProxyAddress | undefined;
  /** Certificates that are trusted, in place of the usual ones. */
  readonly ca: readonly string[] | undefined;
  readonly isSecure: boolean;
}

// Asked for by name: an import would look at all that node:http has, and load undici with it (see http.ts).
const http = () => process.getBuiltinModule('node:http');
const https = () => process.getBuiltinModule('node:https');

/**
 * Connections for one way to servers, used again as Node's own are. Through a proxy they are tunnels, also for plain http:
 * the proxy reads the name of the host and nothing else, no header of ours and no key.
 */
export function agentOf({ proxy, ca, isSecure }: Way): Agent {
  const Base = isSecure ? https().Agent : http().Agent;
  const options = { keepAlive: true, ...(ca === undefined ? {} : { ca: [...ca] }) };
  if (proxy === undefined) return new Base(options);
  class Tunnels extends Base {
    override createConnection(to: ClientRequestArgs, done?: (error: Error | null, stream: Duplex) => void): undefined {
      tunnel(proxy as ProxyAddress, ca, String(to.host), Number(to.port)).then(
        (socket) => done?.(null, isSecure ? secured(socket, to) : socket),
        (error) => done?.(error, undefined as unknown as Duplex), // with an error nobody looks at it
      );
      return undefined;
    }
  }
  return new Tunnels(options);
}

function secured(socket: Duplex, to: ClientRequestArgs): TLSSocket {
  const { connect } = process.getBuiltinModule('node:tls');
  return connect({ ALPNProtocols: ['http/1.1'], ...(to as ConnectionOptions), ...checked, socket });
}

function tunnel({ url, from }: ProxyAddress, ca: Way['ca'], host: string, port: number): Promise<Duplex> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const named = `the proxy ${url.host} (${from})`;
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const request: ClientRequest = (url.protocol === 'https:' ? https() : http()).request({
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...credentials(url) },
    agent: false,
    ...checked,
    ...(ca === undefined ? {} : { ca: [...ca] }),
  });
  request.setTimeout(patienceMs, () => request.destroy(new Error('it does not answer')));
  request.once('error', (error) => {
    const hint = `check ${from}; network.proxy: none goes past every proxy, NO_PROXY past it for a host`;
    reject(new ModelError('model_disconnected', `${named} cannot be used: ${messageOf(error)}`, { hint }));
  });
  request.once('connect', (answer: IncomingMessage, socket: Duplex, head: Buffer) => {
    request.setTimeout(0);
    if (answer.statusCode === 200) {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
      return;
    }
    socket.destroy();
    reject(refusal(named, target, answer));
  });
  request.end();
  return promise;
}

function refusal(named: string, target: string, { statusCode = 0, statusMessage = '' }: IncomingMessage): ModelError {
  const said = `${statusCode} ${statusMessage}`.trim();
  const hint =
    statusCode === 407
      ? 'put name and password into its address: http://name:password@host:port'
      : `let it through there, or name the host in NO_PROXY`;
  // A proxy that has trouble of its own may have none in a moment.
  const code = statusCode >= 500 ? 'model_disconnected' : 'model_bad_response';
  return new ModelError(code, `${named} lets nothing through to ${target}: ${said}`, { hint });
}

function credentials({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
