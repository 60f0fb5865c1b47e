import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
/** A server that answers by method, path and body; 404 for the rest. */
async function routed(answer: (method: string, url: string, body: string | undefined) => unknown) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const said = answer(request.method ?? '', request.url ?? '', Buffer.concat(chunks).toString() || undefined);
    if (said === undefined) response.writeHead(404).end('no');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
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

const served = (answers: Readonly<Record<string, unknown>>) =>
  routed((method, url, body) => answers[`${method} ${url}${body === undefined ? '' : ` ${body}`}`]);
const provider = (id: string, port: number) =>
  localProvider({ id, displayName: id, port, start: 'start it' }, { idleTimeoutMs: 10_000 });

test.each<[string, Readonly<Record<string, unknown>>, readonly object[]]>([
  [
    'ollama',
    {
      'GET /api/tags': {
        models: [{ model: 'qwen3:8b' }, { name: 'llava' }, { model: 'nomic-embed-text' }, { model: 'odd' }],
      },
      'POST /api/show {"model":"qwen3:8b"}': {
        model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
        capabilities: ['completion', 'tools', 'thinking'],
      },
      'POST /api/show {"model":"llava"}': {
        parameters: 'stop "x"\nnum_ctx                        8192',
        model_info: { 'general.architecture': 'llama', 'llama.context_length': 32_768 },
        capabilities: ['completion', 'vision'],
      },
      'POST /api/show {"model":"nomic-embed-text"}': { capabilities: ['embedding'] },
    },
    [
      {
        model: 'qwen3:8b',
        contextWindow: 40_960,
        maxOutput: 32_768,
        input: ['text'],
        thinking: ['off', 'low', 'medium', 'high'],
      },
      { model: 'llava', contextWindow: 8_192, maxOutput: 8_192, input: ['text', 'image'], thinking: ['off'] },
      { model: 'odd' },
    ],
  ],
  [
    'lmstudio',
    {
      'GET /api/v0/models': {
        data: [
          { id: 'qwen3-8b', type: 'llm', max_context_length: 131_072, loaded_context_length: 16_384 },
          { id: 'gemma-4', type: 'vlm', max_context_length: 65_536 },
          { id: 'embed', type: 'embeddings', max_context_length: 512 },
        ],
      },
    },
    [
      { model: 'qwen3-8b', contextWindow: 16_384, input: ['text'] },
      { model: 'gemma-4', contextWindow: 65_536, input: ['text', 'image'] },
    ],
  ],
  [
    'llama.cpp',
    {
      'GET /v1/models': { data: [{ id: 'model.gguf', meta: { n_ctx_train: 131_072 } }] },
      'GET /props': { default_generation_settings: { n_ctx: 12_288 }, modalities: { vision: true } },
    },
    [{ model: 'model.gguf', contextWindow: 12_288, maxOutput: 12_288, input: ['text', 'image'] }],
  ],
  [
    'llama.cpp',
    { 'GET /v1/models': { data: [{ id: 'old.gguf', meta: { n_ctx_train: 4_096 } }] } },
    [{ model: 'old.gguf', contextWindow: 4_096 }],
  ],
  ['vllm', { 'GET /v1/models': { data: [{ id: 'm', max_model_len: 8_192 }] } }, [{ model: 'm', contextWindow: 8_192 }]],
])('%s is asked for all that it knows of its models', async (id, answers, expected) => {
  await using server = await served(answers);
  const discovery = provider(id, server.port).discovery?.();
  expect(discovery?.address).toBe(`http://127.0.0.1:${server.port}`);
  const models = await discovery?.ask(never);
  expect(models).toHaveLength(expected.length);
  expect(models).toMatchObject(expected);
});
