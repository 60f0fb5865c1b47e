import { isLoopback } from 'kern/contracts';
import { expect, test } from 'vitest';
import { aRequest, failureOfReply, messageOfReply } from '../test/requests.ts';
import { type Answer, chatDelta, chatEvents, modelServer } from '../test/server.ts';
import { localProvider, localServers } from './local.ts';

const json = (value: unknown): Answer => ({
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify(value)],
});
const at = (port: number) =>
  localProvider(
    { id: 'ollama', displayName: 'Ollama', port, start: 'start it with `ollama serve`' },
    { idleTimeoutMs: 10_000 },
  );
const never = new AbortController().signal;

test('the servers and the ports they have when nobody chooses', () => {
  expect(localServers.map(({ id, port }) => [id, port])).toEqual([
    ['ollama', 11434],
    ['lmstudio', 1234],
    ['llama.cpp', 8080],
    ['vllm', 8000],
  ]);
});

test('a server that answers has its models, with the context it tells', async () => {
  const data = [
    { id: 'qwen3:8b' },
    { id: 'v', max_model_len: 8192 },
    { id: 'c', meta: { n_ctx_train: 4096 } },
    { noId: true },
  ];
  await using server = await modelServer(json({ object: 'list', data }));
  const models = await at(server.port).models();
  expect(models.map(({ id, contextWindow, maxOutput }) => [id, contextWindow, maxOutput])).toEqual([
    ['ollama/qwen3:8b', 32_768, 8_192],
    ['ollama/v', 8_192, 8_192],
    ['ollama/c', 4_096, 4_096],
  ]);
  expect(server.heard).toMatchObject([{ method: 'GET', url: '/v1/models' }]);
});

test.each<[string, Answer]>([
  ['says something else', json({ hello: 'there' })],
  ['serves a page', { headers: { 'content-type': 'text/html' }, pieces: ['<html>'] }],
  ['refuses', { status: 500, pieces: [] }],
  ['points elsewhere', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, pieces: [] }],
  ['never answers', { pieces: ['HANG'] }],
])('a port where something %s has no models', async (_, answer) => {
  await using server = await modelServer(answer);
  expect(await at(server.port).models()).toEqual([]);
});

test('a model of a server that is not there cannot be used, and it says how to start it', async () => {
  const server = await modelServer(json({ data: [] }));
  await server[Symbol.asyncDispose]();
  const provider = at(server.port);
  expect(await provider.models()).toEqual([]);
  expect(await provider.model('qwen3')).toMatchObject({ available: false });
  expect(provider.missing?.()).toBe(
    `Ollama does not answer on 127.0.0.1:${server.port}; start it with \`ollama serve\``,
  );
  expect((await failureOfReply(provider.stream(aRequest(), never))).error).toMatchObject({
    code: 'model_disconnected',
    hint: expect.stringContaining('ollama serve'),
  });
});

test('it speaks Chat Completions, without a key', async () => {
  await using server = await modelServer(json({ data: [{ id: 'qwen3' }] }), {
    pieces: chatEvents(chatDelta({ content: 'hi' }), chatDelta({}, 'stop')),
  });
  const provider = at(server.port);
  const model = await provider.model('qwen3');
  if (model === undefined) throw new Error('no model');
  expect(await messageOfReply(provider.stream(aRequest({ model }), never))).toMatchObject({
    provider: 'ollama',
    content: [{ text: 'hi' }],
  });
  expect(server.heard[1]).toMatchObject({ url: '/v1/chat/completions', body: { model: 'qwen3' } });
});

test.each([
  ['http://localhost:1/v1', true],
  ['http://127.0.0.1/v1', true],
  ['http://[::1]:1/v1', true],
  ['http://localhost.example.com/v1', false],
  ['https://10.0.0.1/v1', false],
  ['nonsense', false],
])('%s is on this machine: %s', (url, expected) => {
  expect(isLoopback(url)).toBe(expected);
});
