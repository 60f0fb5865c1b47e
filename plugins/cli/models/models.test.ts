import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openDesk } from '../test/line.ts';

interface Shown {
  readonly id: string;
  readonly available: boolean;
  readonly cost: { readonly input: number; readonly validFrom?: string } | null;
}

const chat = (url: string): string => `providers:
  acme:
    wire: openai-chat
    baseUrl: ${url}/v1
    models:
      - { id: big-2, name: Acme Big, contextWindow: 64000, maxOutput: 4000, cost: { input: 1, output: 2 } }
      - { id: small-2 }
`;

const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }], ...more })}\n\n`;
const wholeReply = [
  chunk({ delta: { content: 'one ' } }),
  chunk({ delta: { content: 'two' } }),
  chunk({
    delta: {
      tool_calls: [
        { index: 0, id: 'c1', type: 'function', function: { name: 'report', arguments: '{"numbers":"one"}' } },
      ],
    },
  }),
  chunk(
    { delta: {}, finish_reason: 'tool_calls' },
    { usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } },
  ),
  'data: [DONE]\n\n',
].join('');

/** A server that answers by path. */
async function served(answer: (request: IncomingMessage) => string | undefined) {
  const server = createServer((request, response) => {
    request.resume();
    const text = answer(request);
    const type = text?.startsWith('data:') ? 'text/event-stream' : 'application/json';
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type }).end(text ?? 'no');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Providers read the environment of the process. */
function withKey(name: string): Disposable {
  const before = process.env[name];
  process.env[name] = 'k';
  return {
    [Symbol.dispose]: () => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    },
  };
}

const listOf = async (desk: Awaited<ReturnType<typeof openDesk>>, ...words: string[]): Promise<readonly Shown[]> =>
  ((await desk.json('models', 'list', ...words)) as { models: readonly Shown[] }).models;

test('the whole catalogue, with prices, and what can be used', async () => {
  using _ = withKey('GROQ_API_KEY');
  await using desk = await openDesk();
  const all = await listOf(desk);
  expect(all.length).toBeGreaterThan(500);
  expect(all[0]).toEqual({
    id: 'anthropic/claude-opus-5-5',
    name: 'Claude Opus 5.5',
    contextWindow: 1_000_000,
    maxOutput: 128_000,
    input: ['text', 'image'],
    thinking: ['low', 'medium', 'high', 'xhigh', 'max'],
    cost: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5, validFrom: expect.stringMatching(/^20\d\d-/) },
    available: false,
  });
  expect(all.filter(({ cost }) => cost !== null).length).toBeGreaterThan(500);
  const usable = await listOf(desk, '--available');
  expect(usable.length).toBeGreaterThan(3);
  expect(usable.every(({ id, available }) => available && id.startsWith('groq/'))).toBe(true);
  expect((await listOf(desk, 'sonnet', '5.5')).every(({ id }) => /sonnet.5.5/.test(id))).toBe(true);
  expect((await listOf(desk, 'xai/*')).map(({ id }) => id)).toContain('xai/grok-4.7');
  expect(await desk.json('--list-models', 'xai/*')).toEqual(await desk.json('models', 'list', 'xai/*'));
});

test('a table for people says what is unknown, and nothing that matches is a word on stderr', async () => {
  using _ = withKey('GROQ_API_KEY');
  await using desk = await openDesk();
  const { out, err } = await desk.kern('models', 'list', 'qwen-token-plan/*');
  expect(out).toMatch(/qwen-token-plan\/\S+ +\S+ +\S+ .*\?/);
  expect(err).toContain('0 of');
  const none = await desk.kern('models', 'list', 'no-such-thing');
  expect([none.code, none.out]).toEqual([0, '']);
  expect(none.err).toContain('No model matches no-such-thing.');
});

test('info says what a name means, also of a model that cannot be used', async () => {
  using _ = withKey('ANTHROPIC_API_KEY');
  await using desk = await openDesk();
  expect(await desk.json('models', 'info', 'haiku', '4.5')).toMatchObject({
    id: 'anthropic/claude-haiku-4-5',
    vendor: 'Anthropic',
    generation: 405,
    aliases: ['claude-haiku-4-5-20251001'],
    thinkingBudgets: { high: 16_384 },
    missing: null,
  });
  expect(await desk.json('models', 'info')).toMatchObject({ id: 'anthropic/claude-opus-5-5' });
  expect(await desk.json('models', 'info', 'small:low')).toMatchObject({
    id: 'anthropic/claude-haiku-5-5',
    thinkingChosen: 'low',
  });
  const { out, code } = await desk.kern('models', 'info', 'openai/gpt-6.2-sol');
  expect(code).toBe(0);
  expect(out).toMatch(/usable +no: .*OPENAI_API_KEY/);
  expect(out).toMatch(/price +\$ 2\/10 a million tokens in\/out/);
  const unclear = await desk.kern('models', 'info', 'claude');
  expect(unclear.code).toBe(2);
  expect(unclear.err).toContain('anthropic/claude-sonnet-5-5');
});

test('test sends one request, and says what came of it', async () => {
  const sent: string[] = [];
  await using server = await served((request) => {
    sent.push(request.url ?? '');
    return wholeReply;
  });
  await using desk = await openDesk();
  desk.write('../home/models.yml', chat(server.url));
  expect(await desk.json('models', 'test', 'acme/big')).toEqual({
    model: 'acme/big-2',
    ok: true,
    firstTokenMs: expect.any(Number),
    totalMs: expect.any(Number),
    tools: true,
    streaming: true,
    usage: expect.objectContaining({ input: 100, output: 20 }),
    cost: expect.closeTo(0.00014, 9),
    error: null,
  });
  expect(sent).toEqual(['/v1/chat/completions']);
  const { out } = await desk.kern('models', 'test', 'acme/small');
  expect(out).toMatch(/calls tools +yes/);
  expect(out).toMatch(/cost +unknown/);
});

test('a model that fails its test fails the command, with what went wrong', async () => {
  await using server = await served(() => undefined);
  await using desk = await openDesk();
  desk.write('../home/models.yml', chat(server.url));
  const { code, err } = await desk.kern('models', 'test', 'acme/big-2');
  expect(code).toBe(1);
  expect(err).toContain('404');
  expect(await desk.json('models', 'test', 'acme/big-2')).toMatchObject({
    ok: false,
    tools: false,
    usage: null,
    error: { code: 'model_not_found' },
  });
  expect((await desk.kern('models', 'test', 'anthropic/claude-opus-5-5')).code).toBe(3);
});

test('refresh asks the catalogue and the servers, and what they said is there at the next start', async () => {
  await using server = await served(({ url }) =>
    url === '/api.json'
      ? JSON.stringify({
          anthropic: {
            models: {
              'claude-next-9': { name: 'Claude Next 9', limit: { context: 5_000_000 }, cost: { input: 7, output: 8 } },
            },
          },
        })
      : url === '/v1/models'
        ? JSON.stringify({ data: [{ id: 'found-1', context_length: 12_345 }] })
        : undefined,
  );
  await using desk = await openDesk();
  desk.write('../home/models.yml', chat(server.url));
  desk.write('../home/config.yml', `modelCatalog: ${server.url}/api.json\n`);
  const { reports } = (await desk.json('models', 'refresh', 'anthropic', 'acme')) as {
    reports: readonly { readonly provider: string; readonly models: number | null; readonly error: string | null }[];
  };
  expect(reports).toMatchObject([
    { provider: 'anthropic', models: 1, error: null },
    { provider: 'anthropic', models: null, error: expect.stringContaining('ANTHROPIC_API_KEY') },
    { provider: 'acme', models: 1 },
  ]);
  expect(await listOf(desk, 'claude-next')).toMatchObject([{ contextWindow: 5_000_000, cost: { input: 7 } }]);
  expect((await listOf(desk, 'acme/*')).map(({ id }) => id)).toEqual(['acme/big-2', 'acme/small-2', 'acme/found-1']);
  desk.write('../home/config.yml', 'modelCatalog: false\n');
  expect((await desk.kern('models', 'refresh', 'anthropic')).code).toBe(1);
  expect((await desk.kern('models', 'refresh', 'nobody')).code).toBe(2);
});

test('a project chooses no models', async () => {
  await using desk = await openDesk({
    '.kern/config.yml':
      'modelRoles: { default: evil/model }\nenabledModels: [evil/*]\nmodelCatalog: http://evil.test\n',
  });
  const { err } = await desk.kern('doctor');
  const { out } = await desk.kern('doctor');
  for (const key of ['modelRoles', 'enabledModels', 'modelCatalog']) expect(out + err).toContain(key);
  expect(await desk.json('config', 'get', 'modelCatalog')).toMatchObject({ value: 'https://models.dev/api.json' });
});
