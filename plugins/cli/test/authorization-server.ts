import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OAuthDefinition } from 'kern/contracts';

export interface AuthorizationServerOptions {
  /** Lifetime of an access token, in s. */
  readonly expiresIn?: number;
  /** A refresh token is good once. Default true. */
  readonly rotates?: boolean;
  /** The token endpoint reads JSON, as one vendor's does. */
  readonly json?: boolean;
  /** Errors come with status 200, as from one vendor. */
  readonly errorsAreOk?: boolean;
  /** How the device endpoint answers, in turn; after that, with a token. */
  readonly device?: readonly string[];
  /** Of the device flow, in s. */
  readonly interval?: number;
  readonly deviceExpiresIn?: number;
  /** How long an answer of the token endpoint takes, in ms. */
  readonly delayMs?: number;
  readonly idToken?: Readonly<Record<string, unknown>>;
}

type Parameters = Readonly<Record<string, string>>;

interface Issued {
  readonly access: string;
  readonly refresh: string;
}

/** OAuth 2 on loopback, and a model behind it: a page that signs in at once, tokens with PKCE, the device flow, rotation, and revocation. */
export async function authorizationServer(options: AuthorizationServerOptions = {}) {
  const codes = new Map<string, { readonly challenge: string; readonly redirectUri: string }>();
  const refreshTokens = new Set<string>();
  const accessTokens = new Set<string>();
  const used = new Set<string>();
  const log = { asked: [] as Parameters[], refreshes: 0, reused: 0, revoked: [] as string[], exchanges: 0 };
  const device = [...(options.device ?? [])];
  let state: 'up' | 'down' = 'up';

  const issue = (): Issued => {
    const issued = {
      access: `access-${randomBytes(12).toString('hex')}`,
      refresh: `refresh-${randomBytes(12).toString('hex')}`,
    };
    accessTokens.add(issued.access);
    refreshTokens.add(issued.refresh);
    return issued;
  };
  const tokens = (issued: Issued, refresh = issued.refresh): object => ({
    access_token: issued.access,
    refresh_token: refresh,
    token_type: 'Bearer',
    expires_in: options.expiresIn ?? 3_600,
    ...(options.idToken === undefined ? {} : { id_token: unsigned(options.idToken, origin()) }),
  });
  const grant = (asked: Parameters): object | string => {
    if (asked.client_id !== 'kern-test') return 'invalid_client';
    switch (asked.grant_type) {
      case 'authorization_code': {
        const code = codes.get(asked.code ?? '');
        codes.delete(asked.code ?? '');
        const challenge = createHash('sha256')
          .update(asked.code_verifier ?? '')
          .digest('base64url');
        if (code === undefined || code.challenge !== challenge || code.redirectUri !== asked.redirect_uri)
          return 'invalid_grant';
        return tokens(issue());
      }
      case 'refresh_token': {
        const token = asked.refresh_token ?? '';
        if (used.has(token)) log.reused += 1;
        if (!refreshTokens.has(token)) return 'invalid_grant';
        log.refreshes += 1;
        if (options.rotates === false) return tokens(issue(), token);
        refreshTokens.delete(token);
        used.add(token);
        return tokens(issue());
      }
      case 'urn:ietf:params:oauth:grant-type:device_code': {
        if (asked.device_code !== 'device-1') return 'invalid_grant';
        return device.shift() ?? tokens(issue());
      }
      default:
        return 'unsupported_grant_type';
    }
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const body = await bodyOf(request);
    if (state === 'down') return void response.writeHead(503).end('busy');
    switch (url.pathname) {
      case '/authorize': {
        const asked = Object.fromEntries(url.searchParams);
        log.asked.push(asked);
        const isRight =
          asked.response_type === 'code' && asked.code_challenge_method === 'S256' && asked.client_id === 'kern-test';
        const back = new URL(asked.redirect_uri ?? 'http://127.0.0.1:9');
        const code = randomBytes(8).toString('hex');
        codes.set(code, { challenge: asked.code_challenge ?? '', redirectUri: asked.redirect_uri ?? '' });
        for (const [name, value] of Object.entries(isRight ? { code } : { error: 'invalid_request' }))
          back.searchParams.set(name, value);
        back.searchParams.set('state', asked.state ?? '');
        return void response.writeHead(302, { location: back.href }).end();
      }
      case '/token': {
        const isJson = request.headers['content-type']?.startsWith('application/json') ?? false;
        const asked: Parameters = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
        log.asked.push(asked);
        const granted = isJson === (options.json ?? false) ? grant(asked) : 'invalid_request';
        if (options.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, options.delayMs));
        return answer(response, granted, options.errorsAreOk ?? false);
      }
      case '/device':
        return answer(response, {
          device_code: 'device-1',
          user_code: 'ABCD-1234',
          verification_uri: `${origin()}/activate`,
          expires_in: options.deviceExpiresIn ?? 600,
          interval: options.interval ?? 0.01,
        });
      case '/revoke': {
        const { token = '' } = Object.fromEntries(new URLSearchParams(body));
        log.revoked.push(token);
        refreshTokens.delete(token);
        return answer(response, {});
      }
      case '/exchange': {
        const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
        log.exchanges += 1;
        if (!accessTokens.has(token)) return void response.writeHead(401).end('{}');
        return answer(response, {
          token: `bought-${log.exchanges}-${token.slice(-4)}`,
          expires_at: Math.floor(Date.now() / 1000) + (options.expiresIn ?? 1_800),
          endpoints: { api: `${origin()}/api` },
        });
      }
      case '/v1/chat/completions': {
        const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
        if (!accessTokens.has(token)) return void response.writeHead(401).end('{"error":{"message":"no such token"}}');
        const chunk = (delta: object, finish: string | null): string =>
          `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return void response.end(`${chunk({ content: 'hello, signed in' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`);
      }
      default:
        response.writeHead(404).end();
    }
  });
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = origin();
  return {
    url,
    log,
    issue,
    /** What a definition of this server says. */
    definition: (changes: Partial<OAuthDefinition> = {}): OAuthDefinition => ({
      id: 'acme',
      displayName: 'Acme',
      clientId: 'kern-test',
      scopes: ['models'],
      browser: { authorizeUrl: `${url}/authorize` },
      tokenUrl: `${url}/token`,
      revokeUrl: `${url}/revoke`,
      hosts: ['127.0.0.1'],
      ...(options.json === true ? { tokenBody: 'json' as const } : {}),
      ...changes,
    }),
    isGood: (access: string): boolean => accessTokens.has(access),
    isRefreshable: (refresh: string): boolean => refreshTokens.has(refresh),
    /** The access tokens are taken back before their time. */
    forget: (): void => accessTokens.clear(),
    set: (next: 'up' | 'down'): void => {
      state = next;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(response: ServerResponse, granted: object | string, errorsAreOk = false): void {
  const body = typeof granted === 'string' ? { error: granted } : granted;
  const status = typeof granted === 'string' && !errorsAreOk ? 400 : 200;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function unsigned(claims: Readonly<Record<string, unknown>>, issuer: string): string {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: issuer, aud: 'kern-test', sub: 'u1', iat: now, exp: now + 3_600, ...claims };
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(all)}.${Buffer.from('x'.repeat(32)).toString('base64url')}`;
}
