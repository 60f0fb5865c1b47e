import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { models } from 'kern/contracts';
import { bootKernel } from 'kern/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replyOver } from './api.ts';
import authPlugin from './auth/index.ts';
import { proxyFor } from './bridge/proxy.ts';
import modelsPlugin from './index.ts';
import { ConfiguredNetwork } from './network.ts';
import openaiPlugin from './openai-chat/index.ts';
import { nothingSet, withEnvironment } from './test/environment.ts';
import { connectProxy } from './test/proxy.ts';
import { aRequest, failureOfReply, messageOfReply } from './test/requests.ts';
import { chatDelta, chatEvents, modelServer, secretModelServer } from './test/server.ts';

const hello = { pieces: chatEvents(chatDelta({ content: 'Hello' }), chatDelta({}, 'stop')) };
const never = new AbortController().signal;
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kern-network-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server with a certificate of its own making, and the file that says so. */
async function trustedServer() {
  const server = await secretModelServer(hello);
  const ca = path.join(folder, `${server.port}.pem`);
  writeFileSync(ca, server.certificate.cert);
  return { ...server, ca };
}

interface Setting {
  readonly proxy?: string;
  readonly ca?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function asked(baseUrl: string, { proxy, ca: file, env = {} }: Setting) {
  const settings: Record<string, unknown> = { 'network.proxy': proxy, 'network.ca': file };
  const network = new ConfiguredNetwork((key) => settings[key], env);
  const ask = () =>
    replyOver('openai-chat', { provider: 'test', baseUrl, apiKey: 'secret-key-1' }, aRequest({ network }), never);
  return { ask, [Symbol.asyncDispose]: () => network.close() };
}

describe('which proxy', () => {
  const of = (url: string, setting?: string, env: Record<string, string> = {}): string | undefined => {
    const found = proxyFor(new URL(url), setting, env);
    return found === undefined ? undefined : `${found.from} ${found.url.href}`;
  };

  test('the setting, else the variable of the scheme, else the one for all', () => {
    const env = { HTTPS_PROXY: 'http://s:1', http_proxy: 'h:2', ALL_PROXY: 'http://a:3' };
    expect(of('https://x.test', undefined, env)).toBe('HTTPS_PROXY http://s:1/');
    expect(of('http://x.test', undefined, env)).toBe('http_proxy http://h:2/');
    expect(of('https://x.test', undefined, { ALL_PROXY: 'http://a:3' })).toBe('ALL_PROXY http://a:3/');
    expect(of('https://x.test', 'own:4', env)).toBe('network.proxy http://own:4/');
    expect(of('https://x.test', 'none', env)).toBeUndefined();
    expect(of('https://x.test')).toBeUndefined();
  });

  test.each([
    ['*', true],
    ['x.test', true],
    ['.test', true],
    ['*.test', true],
    ['other.test, X.TEST', true],
    ['x.test:443', true],
    ['x.test:8443', false],
    ['ax.test', false],
    ['10.0.0.0/8', false],
    ['', false],
  ])('NO_PROXY %s excepts https://x.test: %s', (list, isExcepted) => {
    const env = { HTTPS_PROXY: 'http://s:1', NO_PROXY: list };
    expect(of('https://x.test/v1', undefined, env) === undefined).toBe(isExcepted);
  });

  test('addresses and ranges of addresses may be excepted too', () => {
    const env = { HTTPS_PROXY: 'http://s:1', no_proxy: '10.0.0.0/8 [fd00::1] 192.168.1.2:8443 fe80::/10' };
    const past = ['https://10.9.8.7', 'https://[fd00::1]', 'https://192.168.1.2:8443', 'https://[fe80::3]'];
    for (const url of past) expect(of(url, undefined, env)).toBeUndefined();
    for (const url of ['https://11.0.0.1', 'https://192.168.1.2', 'https://[fd00::2]'])
      expect(of(url, undefined, env)).toBeDefined();
  });

  test('a server on this machine is reached without one', () => {
    const env = { HTTP_PROXY: 'http://h:1', HTTPS_PROXY: 'http://s:1' };
    expect(of('http://127.0.0.1:11434', undefined, env)).toBeUndefined();
    expect(of('http://localhost:1', 'p:3', env)).toBeUndefined();
  });

  test('what is no proxy is refused by its name, and never shown', () => {
    const env = { HTTPS_PROXY: 'socks5://name:pass-word@s:1' };
    expect(() => of('https://x.test', undefined, env)).toThrow(
      expect.objectContaining({
        code: 'model_bad_request',
        message: expect.stringMatching(/^HTTPS_PROXY is an address of the kind socks5:\/\/, which/),
      }),
    );
    expect(() => of('https://x.test', 'http://:pass-word')).toThrow(/^network.proxy is no address/);
  });
});

test('a request goes through a tunnel: the proxy hears the host and its own password, and no key', async () => {
  await using server = await trustedServer();
  await using proxy = await connectProxy({ leadsTo: { localhost: server.port } });
  const own = `http://jo%40x:p%20w@127.0.0.1:${proxy.port}`;
  await using way = await asked('https://localhost/v1', { ca: server.ca, env: { HTTPS_PROXY: own } });
  for (let nth = 0; nth < 2; nth += 1)
    expect(await messageOfReply(way.ask())).toMatchObject({ content: [{ text: 'Hello' }] });
  const auth = `Basic ${Buffer.from('jo@x:p w').toString('base64')}`;
  expect(proxy.asked.map(({ method, url, headers }) => [method, url, headers['proxy-authorization']])).toEqual([
    ['CONNECT', 'localhost:443', auth],
  ]);
  expect(proxy.seen.length).toBeGreaterThan(0);
  expect(proxy.seen + JSON.stringify(proxy.asked.map(({ headers }) => headers))).not.toContain('secret-key-1');
  expect(server.heard.map(({ headers }) => [headers.host, headers.authorization])).toEqual([
    ['localhost', 'Bearer secret-key-1'],
    ['localhost', 'Bearer secret-key-1'],
  ]);
  for (const { headers } of server.heard) expect(headers['proxy-authorization']).toBeUndefined();
});

test('plain http goes through a tunnel too', async () => {
  await using server = await modelServer(hello);
  await using proxy = await connectProxy({ leadsTo: { 'models.test': server.port } });
  await using way = await asked('http://models.test/v1', { proxy: proxy.url });
  expect(await messageOfReply(way.ask())).toMatchObject({ content: [{ text: 'Hello' }] });
  expect(proxy.asked.map(({ method, url }) => [method, url])).toEqual([['CONNECT', 'models.test:80']]);
});

test('an abort while the proxy is silent ends the request', async () => {
  await using silent = await connectProxy({ isMute: true });
  const aborting = new AbortController();
  const network = new ConfiguredNetwork(() => undefined, { HTTPS_PROXY: silent.url });
  const endpoint = { provider: 'test', baseUrl: 'https://models.test/v1' };
  const reply = failureOfReply(replyOver('openai-chat', endpoint, aRequest({ network }), aborting.signal));
  while (silent.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  aborting.abort();
  expect((await reply).error).toMatchObject({ name: 'AbortError' });
  await network.close();
});

test.each([
  [407, 'model_bad_response', 'http://name:password@host:port'],
  [403, 'model_bad_response', 'NO_PROXY'],
  [502, 'model_disconnected', 'NO_PROXY'],
])('a proxy that answers %s is named, with what to do', async (status, code, hint) => {
  await using proxy = await connectProxy({ refuses: status });
  const own = `http://jo:pass-word@127.0.0.1:${proxy.port}`;
  await using way = await asked('https://models.test/v1', { env: { https_proxy: own } });
  const { error } = await failureOfReply(way.ask());
  const named = `the proxy 127.0.0.1:${proxy.port} (https_proxy)`;
  expect(error).toMatchObject({ code, hint: expect.stringContaining(hint) });
  expect((error as Error).message).toBe(`${named} lets nothing through to models.test:443: ${status} No`);
});

test('a proxy that is not there is named as what is missing', async () => {
  const gone = await connectProxy();
  await gone[Symbol.asyncDispose]();
  await using way = await asked('https://models.test/v1', { proxy: gone.url });
  expect((await failureOfReply(way.ask())).error).toMatchObject({
    code: 'model_disconnected',
    message: expect.stringMatching(/^the proxy 127.0.0.1:\d+ \(network.proxy\) cannot be used: .*ECONNREFUSED/),
  });
});

test('a certificate that nobody vouches for is no connection, until its file is named', async () => {
  await using server = await trustedServer();
  await using wary = await asked(`${server.url}/v1`, {});
  expect((await failureOfReply(wary.ask())).error).toMatchObject({
    code: 'model_bad_response',
    message: expect.stringMatching(
      /has a certificate that is not trusted: self.signed.*\(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    ),
    hint: expect.stringContaining('network.ca'),
  });
  expect(server.heard).toEqual([]);
  await using trusting = await asked(`${server.url}/v1`, { ca: server.ca });
  expect(await messageOfReply(trusting.ask())).toMatchObject({ content: [{ text: 'Hello' }] });
});

test('a certificate of another host is no connection either, also through a proxy', async () => {
  await using server = await trustedServer();
  await using proxy = await connectProxy({ leadsTo: { 'other.test': server.port } });
  await using way = await asked('https://other.test/v1', { ca: server.ca, proxy: proxy.url });
  expect((await failureOfReply(way.ask())).error).toMatchObject({
    code: 'model_bad_response',
    message: expect.stringContaining('(ERR_TLS_CERT_ALTNAME_INVALID)'),
  });
  expect(server.heard).toEqual([]);
});

test('NODE_TLS_REJECT_UNAUTHORIZED switches no check off, neither straight nor through a proxy', async () => {
  await using server = await trustedServer();
  await using proxy = await connectProxy({ leadsTo: { localhost: server.port, 'other.test': server.port } });
  await withEnvironment({ ...nothingSet, NODE_TLS_REJECT_UNAUTHORIZED: '0' }, async () => {
    const ways: readonly [string, Setting][] = [
      [`${server.url}/v1`, {}],
      ['https://localhost/v1', { proxy: proxy.url }],
      ['https://other.test/v1', { proxy: proxy.url, ca: server.ca }],
    ];
    for (const [url, setting] of ways) {
      await using way = await asked(url, setting);
      expect((await failureOfReply(way.ask())).error).toMatchObject({
        code: 'model_bad_response',
        message: expect.stringContaining('has a certificate that is not trusted'),
      });
    }
  });
  expect(server.heard).toEqual([]);
});

test.each([
  ['missing.pem', undefined, 'cannot be read'],
  ['empty.pem', 'nothing', 'holds no certificate'],
])('a file of certificates that is none is said: %s', async (name, content, said) => {
  const file = path.join(folder, name);
  if (content !== undefined) writeFileSync(file, content);
  await using way = await asked('https://models.test/v1', { ca: file });
  expect((await failureOfReply(way.ask())).error).toMatchObject({
    code: 'model_bad_request',
    message: expect.stringContaining(`network.ca: ${file} ${said}`),
  });
});

test('the models service goes the way of the settings of the moment', async () => {
  await using server = await trustedServer();
  const settings: Record<string, unknown> = {};
  const boot = bootKernel([modelsPlugin, authPlugin, openaiPlugin], { settings });
  await using booted = await boot;
  await withEnvironment({ ...nothingSet, OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'k' }, async () => {
    const service = booted.view.service(models);
    const model = await service.resolve('openai/m');
    const ask = () => service.stream(aRequest({ model }), never);
    expect((await failureOfReply(ask())).error).toMatchObject({ code: 'model_bad_response' });
    settings['network.ca'] = server.ca;
    expect(await messageOfReply(ask())).toMatchObject({ content: [{ text: 'Hello' }] });
  });
});
