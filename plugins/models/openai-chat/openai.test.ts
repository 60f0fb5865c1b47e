import { expect, test } from 'vitest';
import { nothingSet, withEnvironment } from '../test/environment.ts';
import { aRequest, messageOfReply } from '../test/requests.ts';
import { chatDelta, chatEvents, modelServer } from '../test/server.ts';
import { testWire } from '../test/wires.ts';
import { openai } from './openai.ts';

const provider = openai({ idleTimeoutMs: 10_000 });
const never = new AbortController().signal;
const hello = { pieces: chatEvents(chatDelta({ content: 'hi' }), chatDelta({}, 'stop')) };
const list = {
  headers: { 'content-type': 'application/json' },
  pieces: ['{"object":"list","data":[{"id":"qwen","max_model_len":4096},{"id":"llama"}]}'],
};

test('the models of the catalogue, usable with a key', async () => {
  await withEnvironment(nothingSet, async () => {
    expect((await provider.models())[0]).toMatchObject({ id: 'openai/gpt-6.2-sol', available: false });
    expect(provider.missing?.()).toContain('OPENAI_API_KEY');
  });
  await withEnvironment({ ...nothingSet, OPENAI_API_KEY: 'k' }, async () => {
    expect((await provider.models())[0]).toMatchObject({ id: 'openai/gpt-6.2-sol', available: true });
    expect(await provider.model('gpt-6.2-sol')).toMatchObject({ cost: { input: 2 } });
    expect(await provider.model('gpt-next')).toMatchObject({ cost: null, available: true });
  });
});

test('a base URL of one’s own needs no key, and is used as it is', async () => {
  await using server = await modelServer(hello);
  await withEnvironment({ ...nothingSet, OPENAI_BASE_URL: `${server.url}/v1` }, async () => {
    const model = await provider.model('gpt-6.2-sol');
    expect(model).toMatchObject({ available: true, contextWindow: 272_000, cost: { input: 2 } });
    expect(await provider.model('qwen')).toMatchObject({ cost: null, thinking: ['off'] });
    if (model === undefined) throw new Error('no model');
    expect(await messageOfReply(provider.stream(aRequest({ model, thinking: 'high' }), never))).toMatchObject({
      content: [{ text: 'hi' }],
    });
  });
  expect(server.heard).toHaveLength(1);
  expect(server.heard[0]).toMatchObject({
    url: '/v1/chat/completions',
    headers: expect.not.objectContaining({ authorization: expect.anything() }),
  });
  expect(server.heard[0]?.body).toMatchObject({ reasoning_effort: 'high' });
  expect(server.heard[0]?.body).not.toHaveProperty('prompt_cache_key');
});

test('a local server without a key is asked for its models, one with a key is not', async () => {
  await using server = await modelServer(list);
  const OPENAI_BASE_URL = `${server.url}/v1`;
  await withEnvironment({ ...nothingSet, OPENAI_BASE_URL }, async () => {
    expect(await provider.models()).toMatchObject([
      { id: 'openai/qwen', contextWindow: 4096, available: true },
      { id: 'openai/llama', available: true },
    ]);
  });
  await withEnvironment({ ...nothingSet, OPENAI_BASE_URL, OPENAI_API_KEY: 'k' }, async () => {
    expect((await provider.models())[0]).toMatchObject({ id: 'openai/gpt-6.2-sol', available: true });
  });
  expect(server.heard.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v1/models']);
});

test.each([{}, { OPENAI_API_KEY: 'k' }])(
  'behind another address both spellings of a name are one model, %j',
  async (key) => {
    await using server = await modelServer({
      headers: list.headers,
      pieces: ['{"object":"list","data":[{"id":"qwen"},{"id":"gpt-6.2-sol"}]}'],
    });
    await withEnvironment({ ...nothingSet, ...key, OPENAI_BASE_URL: `${server.url}/v1` }, async () => {
      const listed = (await provider.models()).find(({ model }) => model === 'gpt-6.2-sol');
      expect(listed).toMatchObject({ contextWindow: 272_000, cost: { input: 2 } });
      expect(await provider.model('gpt-6.2-sol')).toEqual(listed);
    });
  },
);

test('the wire can be chosen', async () => {
  const responses = testWire('openai-responses');
  await using server = await modelServer({ pieces: responses.events({ text: ['hi'] }) });
  await withEnvironment({ ...nothingSet, OPENAI_BASE_URL: `${server.url}/v1` }, async () => {
    const chosen = openai({ wire: 'openai-responses' });
    await messageOfReply(chosen.stream(aRequest(), never));
  });
  const [heard] = server.heard;
  expect(heard?.url).toBe('/v1/responses');
  expect(heard?.headers.authorization).toBeUndefined();
  expect(heard?.body).toMatchObject({ store: false, input: [{ role: 'system' }, { role: 'user' }] });
  expect(heard?.body).not.toHaveProperty('prompt_cache_key'); // a word of the vendor's own server
});
