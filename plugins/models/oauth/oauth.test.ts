import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { authorizationServer } from '../../cli/test/authorization-server.ts';
import { parametersIn } from './browser-flow.ts';
import type { LoginUi } from './contract.ts';
import { oauthProvider } from './provider.ts';

const never = new AbortController().signal;

interface Person extends LoginUi {
  readonly shown: { readonly url: string; readonly code?: string; readonly message?: string }[];
  readonly said: string[];
}

/** Somebody who signs in: `visit` does what a browser would, `types` what hands would. */
function person(
  does: { readonly visits?: boolean; readonly types?: (url: string) => string | Promise<string> | undefined } = {},
): Person {
  const shown: Person['shown'] = [];
  const said: string[] = [];
  return {
    shown,
    said,
    show(step) {
      shown.push(step);
      if (does.visits ?? false) void fetch(step.url).catch(() => undefined);
    },
    async ask(_question, signal) {
      const [step] = shown;
      if (does.types !== undefined && step !== undefined) return does.types(step.url);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return undefined;
    },
    progress: (message) => void said.push(message),
  };
}

test('a page in the browser comes back to this machine, and PKCE is checked by the server', async () => {
  await using server = await authorizationServer();
  const ui = person({ visits: true });
  const tokens = await oauthProvider(server.definition()).login(ui, never);
  expect(server.isGood(tokens.access)).toBe(true);
  expect(server.isRefreshable(tokens.refresh ?? '')).toBe(true);
  expect(tokens.expires).toBeGreaterThan(Date.now());
  const [asked, granted] = server.log.asked;
  expect(asked).toMatchObject({ response_type: 'code', scope: 'models', code_challenge_method: 'S256' });
  expect(asked?.redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect(granted).toMatchObject({ grant_type: 'authorization_code', redirect_uri: asked?.redirect_uri });
  // It listens no longer.
  await expect(fetch(asked?.redirect_uri ?? '')).rejects.toThrow();
});

/** The address that the server sends the browser to, without going there. */
async function finalAddress(url: string): Promise<string> {
  return (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
}

test.each([
  ['the final address', (address: string) => address],
  ['the code', (address: string) => new URL(address).searchParams.get('code') ?? ''],
  [
    'code#state',
    (address: string) => {
      const { searchParams } = new URL(address);
      return ` ${searchParams.get('code')}#${searchParams.get('state')}\n`;
    },
  ],
])('over ssh, %s is pasted', async (_, copied) => {
  await using server = await authorizationServer();
  const ui = person({ types: async (url) => copied(await finalAddress(url)) });
  const tokens = await oauthProvider(server.definition()).login(ui, never);
  expect(server.isGood(tokens.access)).toBe(true);
});

test('an answer with another state is none: neither pasted nor by the browser', async () => {
  await using server = await authorizationServer();
  const forged = person({
    types: async (url) => (await finalAddress(url)).replace(/state=[^&]*/, 'state=forged'),
  });
  await expect(oauthProvider(server.definition()).login(forged, never)).rejects.toMatchObject({
    code: 'auth_failed',
    message: expect.stringContaining('state'),
  });
  const attacked = person({
    types: async (url) => {
      const redirect = new URL(url).searchParams.get('redirect_uri') ?? '';
      expect((await fetch(`${redirect}?code=evil&state=forged`)).status).toBe(404);
      expect((await fetch(`${redirect}?code=evil`)).status).toBe(404);
      await fetch(url); // and then the browser comes
      return new Promise<string>(() => undefined);
    },
  });
  const tokens = await oauthProvider(server.definition()).login(attacked, never);
  expect(server.isGood(tokens.access)).toBe(true);
});

test('what the server refuses is said in its words, without secrets', async () => {
  await using server = await authorizationServer();
  const ui = person({ visits: true });
  const refused = oauthProvider(server.definition({ clientId: 'someone-else' })).login(ui, never);
  await expect(refused).rejects.toMatchObject({ code: 'auth_failed', message: expect.stringContaining('Acme failed') });
});

test('a port that must be had and is taken leaves pasting', async () => {
  await using server = await authorizationServer();
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const ui = person({ types: (url) => finalAddress(url) });
  const browser = {
    authorizeUrl: `${server.url}/authorize`,
    redirect: { host: 'localhost' as const, port, path: '/back' },
  };
  const tokens = await oauthProvider(server.definition({ browser })).login(ui, never);
  other.close();
  expect(server.isGood(tokens.access)).toBe(true);
  expect(ui.shown[0]?.message).toContain(`Port ${port} is taken`);
  expect(server.log.asked[0]?.redirect_uri).toBe(`http://localhost:${port}/back`);
});

test('an abort ends it at once', async () => {
  await using server = await authorizationServer();
  const controller = new AbortController();
  const login = oauthProvider(server.definition()).login(person(), controller.signal);
  setTimeout(() => controller.abort(), 20);
  await expect(login).rejects.toMatchObject({ name: 'AbortError' });
});

test('a token endpoint that reads JSON, and wants the state', async () => {
  await using server = await authorizationServer({ json: true });
  const tokens = await oauthProvider(server.definition()).login(person({ visits: true }), never);
  expect(server.isGood(tokens.access)).toBe(true);
  expect(server.log.asked[1]?.state).toBe(server.log.asked[0]?.state);
});

test('what a token says of its account is kept, and goes with requests', async () => {
  await using server = await authorizationServer({
    idToken: { email: 'ada@example.com', 'https://acme.test/auth': { team: 't-1' } },
  });
  const provider = oauthProvider(
    server.definition({
      claimHeaders: { 'x-team': ['https://acme.test/auth', 'team'] },
      accountFrom: [['nobody'], ['email']],
      requestHeaders: { 'x-from': 'kern' },
    }),
  );
  const tokens = await provider.login(person({ visits: true }), never);
  expect(tokens.account).toBe('ada@example.com');
  expect(provider.credential(tokens)).toEqual({
    kind: 'oauth',
    secret: tokens.access,
    account: 'ada@example.com',
    hosts: ['127.0.0.1'],
    headers: { 'x-from': 'kern', 'x-team': 't-1' },
  });
});

// --- The device flow ---------------------------------------------------------------------------------------------

test.each([false, true])('a code is typed elsewhere; errors with status 200: %s', async (errorsAreOk) => {
  await using server = await authorizationServer({
    device: ['authorization_pending', 'authorization_pending'],
    errorsAreOk,
  });
  const ui = person();
  const { browser: _, ...definition } = server.definition({ device: { url: `${server.url}/device` } });
  const tokens = await oauthProvider(definition).login(ui, never);
  expect(server.isGood(tokens.access)).toBe(true);
  expect(ui.shown).toEqual([{ url: `${server.url}/activate`, code: 'ABCD-1234' }]);
  expect(server.log.asked).toHaveLength(3);
});

test.each([
  ['the server says so', { device: ['expired_token'] }, 'before it expired'],
  [
    'its time is over',
    { device: Array(400).fill('authorization_pending'), deviceExpiresIn: 0.05 },
    'before it expired',
  ],
  ['somebody says no', { device: ['access_denied'] }, 'access_denied'],
])('the device flow ends when %s', async (_, options, said) => {
  await using server = await authorizationServer(options);
  const { browser: __, ...definition } = server.definition({ device: { url: `${server.url}/device` } });
  await expect(oauthProvider(definition).login(person(), never)).rejects.toMatchObject({
    code: 'auth_failed',
    message: expect.stringContaining(said),
  });
});

test('asked to slow down, it waits five seconds longer, and an abort ends that', async () => {
  await using server = await authorizationServer({ device: ['slow_down'] });
  const { browser: _, ...definition } = server.definition({ device: { url: `${server.url}/device` } });
  const controller = new AbortController();
  const login = oauthProvider(definition).login(person(), controller.signal);
  login.catch(() => undefined);
  while (server.log.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(server.log.asked).toHaveLength(1); // the interval alone would have asked thirty times
  controller.abort();
  await expect(login).rejects.toMatchObject({ name: 'AbortError' });
});

// --- Afterwards --------------------------------------------------------------------------------------------------

test('a token is renewed; a refresh token that is used up says that one has to sign in again', async () => {
  await using server = await authorizationServer();
  const provider = oauthProvider(server.definition());
  const first = { ...server.issue(), account: 'ada' };
  const second = await provider.refresh(first, never);
  expect(second).toMatchObject({ account: 'ada' });
  expect(second.refresh).not.toBe(first.refresh);
  await expect(provider.refresh(first, never)).rejects.toMatchObject({
    code: 'auth_expired',
    hint: 'sign in again: kern auth login acme',
  });
  await expect(provider.refresh({ access: 'a' }, never)).rejects.toMatchObject({ code: 'auth_expired' });
});

test('a server that keeps its refresh token goes on with it', async () => {
  await using server = await authorizationServer({ rotates: false });
  const first = server.issue();
  const second = await oauthProvider(server.definition()).refresh(first, never);
  expect(second.refresh).toBe(first.refresh);
});

test('a server that is down is a failure that passes', async () => {
  await using server = await authorizationServer();
  const provider = oauthProvider(server.definition());
  server.set('down');
  await expect(provider.refresh(server.issue(), never)).rejects.toMatchObject({ code: 'model_overloaded' });
  const nowhere = oauthProvider(server.definition({ tokenUrl: 'http://127.0.0.1:1/token' }));
  await expect(nowhere.refresh(server.issue(), never)).rejects.toMatchObject({ code: 'model_disconnected' });
});

test('the token of the sign-in buys the one for requests, and the address to use', async () => {
  await using server = await authorizationServer();
  const exchange = { url: `${server.url}/exchange`, baseUrl: ['endpoints', 'api'] };
  const { browser: _, ...definition } = server.definition({ device: { url: `${server.url}/device` }, exchange });
  const provider = oauthProvider(definition);
  const tokens = await provider.login(person(), never);
  expect(tokens.access).toMatch(/^bought-1-/);
  expect(provider.credential(tokens)).toMatchObject({
    hosts: ['127.0.0.1', '127.0.0.1'],
    baseUrl: `${server.url}/api`,
  });
  expect((await provider.refresh(tokens, never)).access).toMatch(/^bought-2-/);
  server.forget();
  await expect(provider.refresh(tokens, never)).rejects.toMatchObject({ code: 'auth_expired' });
});

test('a server cannot name an address of somebody else', () => {
  const provider = oauthProvider({
    id: 'acme',
    displayName: 'Acme',
    clientId: 'x',
    device: { url: 'https://acme.test/device' },
    tokenUrl: 'https://acme.test/token',
    hosts: ['acme.test'],
  });
  const at = (baseUrl: string) => provider.credential({ access: 'a', data: { baseUrl } });
  expect(at('https://eu.acme.test/v1')).toMatchObject({
    baseUrl: 'https://eu.acme.test/v1',
    hosts: ['acme.test', 'eu.acme.test'],
  });
  for (const bad of ['https://evil.test', 'https://evilacme.test', 'http://eu.acme.test', 'file:///x', 'nonsense'])
    expect(at(bad)).toEqual({ kind: 'oauth', secret: 'a', account: 'acme', hosts: ['acme.test'] });
});

test('signing out tells the server', async () => {
  await using server = await authorizationServer();
  const tokens = server.issue();
  await oauthProvider(server.definition()).revoke?.(tokens, never);
  expect(server.log.revoked).toEqual([tokens.refresh]);
});

test('a description without a way in is refused', () => {
  const definition = { id: 'acme', displayName: 'Acme', clientId: 'x', tokenUrl: 'https://acme.test/token', hosts: [] };
  expect(() => oauthProvider(definition)).toThrow('neither a page for the browser nor a device URL');
});

test('what people paste', () => {
  const code = (text: string) => parametersIn(text, 's')?.get('code') ?? undefined;
  expect(code('http://localhost:1/cb?code=a&state=b')).toBe('a');
  expect(code('code=a&state=b')).toBe('a');
  expect(code('/cb?code=a')).toBe('a');
  expect(code('a#b')).toBe('a');
  expect(parametersIn('a#b', 's')?.get('state')).toBe('b');
  expect(parametersIn('a', 's')?.get('state')).toBe('s');
  for (const nothing of ['', '  ', 'https://acme.test/', 'two words']) expect(code(nothing)).toBeUndefined();
});
