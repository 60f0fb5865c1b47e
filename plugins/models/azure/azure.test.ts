import { describe, expect, test } from 'vitest';
import { withEnvironment } from '../test/environment.ts';
import { aRequest, failureOfReply, messageOfReply } from '../test/requests.ts';
import { modelServer } from '../test/server.ts';
import { testWire } from '../test/wires.ts';
import { azure } from './azure.ts';

const provider = azure({ idleTimeoutMs: 10_000 });
const never = new AbortController().signal;
const responses = testWire('openai-responses');
const chat = testWire('openai-chat');
const nothing = {
  ...{ AZURE_OPENAI_API_KEY: undefined, AZURE_OPENAI_AD_TOKEN: undefined, AZURE_OPENAI_BASE_URL: undefined },
  ...{ AZURE_OPENAI_ENDPOINT: undefined, AZURE_OPENAI_RESOURCE_NAME: undefined, AZURE_RESOURCE_NAME: undefined },
  ...{ AZURE_OPENAI_API_VERSION: undefined, AZURE_OPENAI_DEPLOYMENT: undefined },
  AZURE_OPENAI_DEPLOYMENT_NAME_MAP: undefined,
};
const key = 'azure-key-1';

async function modelOf(name: string) {
  const model = await provider.model(name);
  if (model === undefined) throw new Error(`no model ${name}`);
  return model;
}

test('a key and an address make it usable; each that lacks is named', async () => {
  await withEnvironment(nothing, async () => {
    expect(provider.missing?.()).toContain('AZURE_OPENAI_API_KEY');
    expect((await provider.models()).every(({ available }) => !available)).toBe(true);
  });
  await withEnvironment({ ...nothing, AZURE_OPENAI_API_KEY: key }, () =>
    expect(provider.missing?.()).toContain('AZURE_OPENAI_BASE_URL'),
  );
  await withEnvironment({ ...nothing, AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_RESOURCE_NAME: 'mine' }, async () => {
    expect(provider.missing?.()).toBeUndefined();
    expect(await provider.model('gpt-5')).toMatchObject({ id: 'azure/gpt-5', available: true });
    expect(await provider.model('my-deployment')).toMatchObject({ available: true, cost: null });
  });
});

test('a model speaks the wire that it needs, with the key in a header of its own', async () => {
  await using server = await modelServer(
    { pieces: responses.events({ text: ['hi'] }) },
    { pieces: chat.events({ text: ['ho'] }) },
  );
  await withEnvironment(
    { ...nothing, AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_ENDPOINT: `${server.url}/` },
    async () => {
      const spoken = (await provider.models()).find(({ wire }) => wire === 'openai-chat');
      if (spoken === undefined) throw new Error('no model of the catalogue speaks Chat Completions');
      const first = await messageOfReply(provider.stream(aRequest({ model: await modelOf('gpt-5') }), never));
      expect(first).toMatchObject({ provider: 'azure', model: 'gpt-5', content: [{ text: 'hi' }] });
      expect(await messageOfReply(provider.stream(aRequest({ model: spoken }), never))).toMatchObject({
        content: [{ text: 'ho' }],
      });
    },
  );
  expect(server.heard.map(({ url }) => url)).toEqual(['/openai/v1/responses', '/openai/v1/chat/completions']);
  for (const { headers } of server.heard) {
    expect(headers['api-key']).toBe(key);
    expect(headers.authorization).toBeUndefined();
  }
});

describe.each([
  ['gpt-5', responses],
  ['gpt-4o', responses],
] as const)('%s', (name, wire) => {
  test('is asked for by the name of its deployment, with the version of the API', async () => {
    await using server = await modelServer({ pieces: wire.events({ text: ['hi'] }) });
    const env = {
      ...nothing,
      AZURE_OPENAI_API_KEY: key,
      AZURE_OPENAI_BASE_URL: `${server.url}/openai/v1`,
      AZURE_OPENAI_API_VERSION: 'preview',
      AZURE_OPENAI_DEPLOYMENT_NAME_MAP: 'gpt-5=my-five, gpt-4o = my-four',
    };
    await withEnvironment(env, async () => {
      const message = await messageOfReply(provider.stream(aRequest({ model: await modelOf(name) }), never));
      expect(message.model).toBe(name);
    });
    expect(server.heard[0]?.url).toBe('/openai/v1/responses?api-version=preview');
    expect(server.heard[0]?.body.model).toBe(name === 'gpt-5' ? 'my-five' : 'my-four');
  });
});

test('one deployment for everything', async () => {
  await using server = await modelServer({ pieces: responses.events({ text: ['hi'] }) });
  const env = { ...nothing, AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_BASE_URL: `${server.url}/openai` };
  await withEnvironment({ ...env, AZURE_OPENAI_DEPLOYMENT: 'only' }, async () => {
    await messageOfReply(provider.stream(aRequest({ model: await modelOf('gpt-5') }), never));
  });
  expect(server.heard[0]).toMatchObject({ url: '/openai/v1/responses', body: { model: 'only' } });
});

test('a token of Entra goes as a bearer', async () => {
  await using server = await modelServer({ pieces: responses.events({ text: ['hi'] }) });
  await withEnvironment(
    { ...nothing, AZURE_OPENAI_AD_TOKEN: 'token-1', AZURE_OPENAI_BASE_URL: server.url },
    async () => {
      await messageOfReply(provider.stream(aRequest({ model: await modelOf('gpt-5') }), never));
    },
  );
  expect(server.heard[0]?.headers.authorization).toBe('Bearer token-1');
  expect(server.heard[0]?.headers['api-key']).toBeUndefined();
});

test('a refusal names what to look at, and never the key', async () => {
  await using server = await modelServer({
    status: 401,
    headers: { 'content-type': 'application/json' },
    pieces: [`{"error":{"code":"401","message":"Access denied due to invalid subscription key ${key}."}}`],
  });
  await withEnvironment({ ...nothing, AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_BASE_URL: server.url }, async () => {
    const { error } = await failureOfReply(provider.stream(aRequest({ model: await modelOf('gpt-5') }), never));
    expect(error).toMatchObject({
      code: 'model_unauthorized',
      message: expect.stringContaining(`azure (${server.host}) answered 401`),
      hint: expect.stringContaining('AZURE_OPENAI_API_KEY'),
    });
    expect(JSON.stringify([error, (error as Error).message])).not.toContain(key);
  });
});
