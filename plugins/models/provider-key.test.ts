import { expect, test } from 'vitest';
import { anthropic } from './anthropic/anthropic.ts';
import { replyOver } from './api.ts';
import type { Credential } from './contract.ts';
import type { Auth } from './oauth/contract.ts';
import { providerKey } from './provider-key.ts';
import { nothingSet, withEnvironment } from './test/environment.ts';
import { aRequest, failureOfReply, messageOfReply } from './test/requests.ts';
import { modelServer } from './test/server.ts';
import { testWires } from './test/wires.ts';

const never = new AbortController().signal;

/** Has these credentials, one after the other as they fail. */
function auth(...credentials: readonly Credential[]): () => Auth {
  let at = 0;
  const service: Auth = {
    credential: async () => credentials[at],
    has: () => credentials.length > 0,
    failed: async () => {
      at += 1;
      return at < credentials.length;
    },
    login: () => Promise.reject(new Error('not here')),
    saveKey: () => Promise.reject(new Error('not here')),
    logout: async () => 0,
    status: async () => [],
    redact: (text) => text,
  };
  return () => service;
}

const token: Credential = {
  kind: 'oauth',
  secret: 'a-token-of-ada',
  account: 'ada',
  hosts: ['127.0.0.1'],
  headers: { 'x-team': 'blue' },
};

test.each(testWires.map((wire) => [wire.wire, wire] as const))(
  'a token goes as Bearer over the wire %s, with its headers, and to no other host',
  async (wire, played) => {
    await using server = await modelServer({ pieces: played.events({ text: ['hi'] }) });
    const ask = (baseUrl: string, credential: Credential) => {
      const key = providerKey({ provider: 'test', keys: () => [], auth: auth(credential) });
      return key.reply(aRequest(), never, (sent) =>
        replyOver(wire, { provider: 'test', baseUrl, ...sent }, aRequest(), never),
      );
    };
    await messageOfReply(ask(played.base(server.url), token));
    expect(server.heard[0]?.headers).toMatchObject({ authorization: 'Bearer a-token-of-ada', 'x-team': 'blue' });
    expect(server.heard[0]?.headers).not.toHaveProperty('x-api-key');
    expect(server.heard[0]?.headers).not.toHaveProperty('x-goog-api-key');
    for (const hosts of [['api.acme.test'], []]) {
      const { error } = await failureOfReply(ask(played.base(server.url), { ...token, hosts }));
      expect(error).toMatchObject({ code: 'model_unauthorized', message: expect.stringContaining('is not sent to') });
    }
    expect(server.heard).toHaveLength(1);
    // Where the sign-in names its own address, that one counts.
    const named = { ...token, baseUrl: played.base(server.url) };
    await messageOfReply(ask('https://elsewhere.test', named));
    expect(server.heard).toHaveLength(2);
  },
);

test('a refused account gives way to the next; where it is the last, its failure is told', async () => {
  const [played] = testWires;
  if (played === undefined) throw new Error('no wires');
  const refused = { status: 401, pieces: ['{"error":{"message":"no"}}'] };
  await using server = await modelServer(refused, refused, { pieces: played.events({ text: ['hi'] }) });
  const ask = (...keys: readonly string[]) => {
    const credentials = keys.map((secret): Credential => ({ kind: 'key', secret, account: secret }));
    const key = providerKey({ provider: 'test', keys: () => [], auth: auth(...credentials) });
    return key.reply(aRequest(), never, (sent) =>
      replyOver(played.wire, { provider: 'test', baseUrl: played.base(server.url), ...sent }, aRequest(), never),
    );
  };
  expect((await failureOfReply(ask('key-one'))).error).toMatchObject({ code: 'model_unauthorized' });
  expect(await messageOfReply(ask('key-one', 'key-two'))).toMatchObject({ content: [{ text: 'hi' }] });
});

test('what has begun is not begun again: the account is only noted', async () => {
  const noted: string[] = [];
  const service = auth({ kind: 'key', secret: 'key-one', account: 'one' });
  const noting = (): Auth => ({ ...service(), failed: async (_, { secret }) => noted.push(secret) > 0 });
  const key = providerKey({ provider: 'test', keys: () => [], auth: noting });
  let begun = 0;
  const failing = key.reply(aRequest(), never, async function* () {
    begun += 1;
    yield { type: 'text_start', contentIndex: 0 } as const;
    throw Object.assign(new Error('limit'), { code: 'model_rate_limited' });
  });
  const { error, before } = await failureOfReply(failing);
  expect(error).toMatchObject({ code: 'model_rate_limited' });
  expect({ begun, events: before.length, noted }).toEqual({ begun: 1, events: 1, noted: ['key-one'] });
});

test('a list of models is asked for as a reply is: no token to another host', async () => {
  await using server = await modelServer({
    headers: { 'content-type': 'application/json' },
    pieces: ['{"data":[{"id":"claude-next"}]}'],
  });
  await withEnvironment({ ...nothingSet, ANTHROPIC_BASE_URL: server.url }, async () => {
    const discovery = anthropic({}, auth(token)).discovery?.();
    expect(await discovery?.ask(never, { credential: token })).toMatchObject([{ model: 'claude-next' }]);
    expect(server.heard[0]?.headers).toMatchObject({ authorization: 'Bearer a-token-of-ada' });
    expect(server.heard[0]?.headers).not.toHaveProperty('x-api-key');
    const elsewhere = { ...token, hosts: ['api.anthropic.com'] };
    await expect(discovery?.ask(never, { credential: elsewhere })).rejects.toMatchObject({
      code: 'model_unauthorized',
    });
    // A token is no key: whoever asks without auth gets none.
    await discovery?.ask(never);
    expect(server.heard[1]?.headers).not.toHaveProperty('authorization');
    expect(server.heard).toHaveLength(2);
  });
});

test('without auth there is the environment', async () => {
  await withEnvironment({ KERN_TEST_A: undefined, KERN_TEST_B: ' b \n' }, async () => {
    const key = providerKey({ provider: 'acme', keys: () => ['$KERN_TEST_A', '$KERN_TEST_B'] });
    expect(key.has()).toBe(true);
    expect(await key.secret(never)).toBe('b');
    delete process.env.KERN_TEST_B;
    expect(key.missing()).toBe(
      'KERN_TEST_A or KERN_TEST_B is not set, and nothing is kept for acme (`kern auth login acme`)',
    );
  });
});
