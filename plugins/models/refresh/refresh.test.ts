import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ModelProvider, modelOverrides, modelProviders, models } from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import { describeModel } from '../describe.ts';
import modelsPlugin from '../index.ts';
import { type Answer, modelServer } from '../test/server.ts';
import { serverDiscovery } from './discovery.ts';
import { listed } from './list-server.ts';
import { publicModels } from './public-catalog.ts';

const signal = new AbortController().signal;
const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
const json = (value: unknown): Answer => ({
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify(value)],
});

function acme(changes: Partial<ModelProvider> = {}): PluginDefinition {
  const old = describeModel('acme', 'old', { contextWindow: 10_000, thinking: ['low', 'high'], cost });
  const provider: ModelProvider = {
    id: 'acme',
    displayName: 'Acme',
    models: () => [old],
    model: (name) => (name === 'old' ? old : describeModel('acme', name)),
    catalog: () => 'acme-inc',
    stream: async function* () {},
    ...changes,
  };
  return definePlugin({
    id: 'acme',
    requires: ['models'],
    setup: (ctx) => ctx.contribute(modelProviders, provider),
  });
}

const boot = (plugins: readonly PluginDefinition[], settings: Readonly<Record<string, unknown>> = {}) =>
  bootKernel([modelsPlugin, ...plugins], { settings });

const published = {
  'acme-inc': {
    models: {
      old: {
        name: 'Renamed',
        limit: { context: 20_000, output: 5_000 },
        cost: { input: 3, output: 4, cache_read: 0.3 },
        reasoning: true,
      },
      'new-2.5': {
        name: 'New 2.5',
        reasoning: true,
        tool_call: true,
        modalities: { input: ['text', 'image', 'pdf'], output: ['text'] },
        limit: { context: 1_000_000, output: 64_000 },
        cost: { input: 5, output: 6, context_over_200k: { input: 10, output: 12, cache_read: 1 } },
      },
      painter: { modalities: { output: ['image'] } },
      dumb: { tool_call: false },
    },
  },
};

test('the public catalogue brings prices, limits and new models, and they last', async () => {
  await using server = await modelServer(json(published));
  await using t = await boot([acme()], { modelCatalog: `${server.url}/api.json` });
  const service = t.view.service(models);
  expect(await service.refresh({ signal })).toEqual([{ provider: 'acme', from: `${server.url}/api.json`, found: 2 }]);
  const found = await service.list();
  expect(found).toMatchObject([
    {
      id: 'acme/old',
      name: 'old',
      contextWindow: 20_000,
      maxOutput: 5_000,
      thinking: ['low', 'high'], // kern knows better
      cost: { input: 3, output: 4, cacheRead: 0.3, validFrom: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    },
    {
      id: 'acme/new-2.5',
      name: 'New 2.5',
      available: true,
      input: ['text', 'image'],
      thinking: ['off', 'low', 'medium', 'high'],
      generation: 205,
      cost: { input: 5, tiers: [{ above: 200_000, input: 10, output: 12, cacheRead: 1, cacheWrite: 0 }] },
    },
  ]);
  expect((await service.find('new')).model.id).toBe('acme/new-2.5');
  expect((await service.resolve('acme/old')).contextWindow).toBe(20_000);
  const folder = path.join(t.view.where.home, 'cache', 'models');
  expect(readdirSync(folder)).toEqual(['acme.json']);
  // What answers with nothing, or not at all, changes nothing.
  await using broken = await modelServer({ status: 500, pieces: [] }, json({}), { pieces: ['<html>'] });
  await using later = await bootKernel([modelsPlugin, acme()], {
    settings: { modelCatalog: broken.url },
  });
  const kept = readFileSync(path.join(folder, 'acme.json'), 'utf8');
  const home = path.join(later.view.where.home, 'cache', 'models');
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, 'acme.json'), kept);
  for (const why of [/answered with 500/, /none of these providers/, /no JSON/]) {
    expect(await later.view.service(models).refresh({ signal })).toMatchObject([
      { provider: '*', found: { failed: expect.stringMatching(why) } },
    ]);
    expect(await later.view.service(models).list()).toHaveLength(2);
  }
});

test('without a catalogue nobody is asked, and a file that is torn is left out with a word', async () => {
  await using t = await boot([acme()], { modelCatalog: false });
  const service = t.view.service(models);
  expect(await service.refresh({ signal })).toEqual([]);
  const folder = path.join(t.view.where.home, 'cache', 'models');
  mkdirSync(folder, { recursive: true });
  for (const text of ['{"version":1,"catalog":{"mod', '{"version":2}', '[]', '']) {
    writeFileSync(path.join(folder, 'acme.json'), text);
    expect(await service.list()).toMatchObject([{ id: 'acme/old', contextWindow: 10_000 }]);
  }
  const said = t.kernel.journal.all().filter(({ message }) => message.includes('acme.json cannot be read'));
  expect(said).toHaveLength(1);
  // What has another form costs only itself.
  writeFileSync(
    path.join(folder, 'acme.json'),
    JSON.stringify({
      version: 1,
      catalog: { models: [{ model: 'old', contextWindow: 'big', maxOutput: 7_000 }, { name: 'nameless' }, 7] },
    }),
  );
  expect(await service.list()).toMatchObject([{ contextWindow: 10_000, maxOutput: 7_000 }]);
  expect(await service.list()).toHaveLength(1);
});

test('a server is asked with its key, and what it says holds for its address only', async () => {
  await using server = await modelServer(
    json({ data: [{ id: 'served', context_length: 50_000 }, { id: 'old' }, { id: 'text-embedding-3' }] }),
  );
  let baseUrl = `${server.url}/v1`;
  const discovery: ModelProvider['discovery'] = () =>
    serverDiscovery('openai-chat', { baseUrl, headers: { 'x-team': 'blue' }, apiKey: async () => 'key-1' });
  await using t = await boot([acme({ discovery })]);
  const service = t.view.service(models);
  expect(await service.refresh({ signal, providers: ['acme'] })).toEqual([
    { provider: 'acme', from: `${server.url}/v1`, found: 2 },
  ]);
  expect(server.heard[0]).toMatchObject({
    method: 'GET',
    url: '/v1/models',
    headers: { authorization: 'Bearer key-1', 'x-team': 'blue' },
  });
  expect((await service.list()).map(({ id, contextWindow }) => [id, contextWindow])).toEqual([
    ['acme/old', 10_000],
    ['acme/served', 50_000],
  ]);
  baseUrl = 'http://127.0.0.1:9/v1';
  expect((await service.list()).map(({ id }) => id)).toEqual(['acme/old']);
  await expect(service.refresh({ signal, providers: ['acmee'] })).rejects.toMatchObject({
    code: 'provider_unknown',
    hint: 'there are acme',
  });
});

test('who cannot be used is asked only by name; a local server that does not run is no failure', async () => {
  const discovery: ModelProvider['discovery'] = () =>
    serverDiscovery('openai-chat', { baseUrl: 'http://127.0.0.1:9/v1' });
  await using keyless = await boot([acme({ discovery, missing: () => 'ACME_KEY is not set' })]);
  expect(await keyless.view.service(models).refresh({ signal })).toEqual([]);
  expect(await keyless.view.service(models).refresh({ signal, providers: ['acme'] })).toMatchObject([
    { found: { failed: 'ACME_KEY is not set' } },
  ]);
  await using local = await boot([acme({ discovery, probes: true, missing: () => 'it does not answer' })]);
  expect(await local.view.service(models).refresh({ signal })).toEqual([]);
  expect(await local.view.service(models).refresh({ signal, providers: ['acme'] })).toMatchObject([
    { found: { failed: expect.stringContaining('127.0.0.1:9 cannot be asked') } },
  ]);
});

test('a key does not follow a redirect', async () => {
  await using elsewhere = await modelServer(json({ data: [{ id: 'x' }] }));
  await using server = await modelServer({ status: 302, headers: { location: `${elsewhere.url}/models` }, pieces: [] });
  const discovery = serverDiscovery('anthropic', { baseUrl: server.url, apiKey: async () => 'secret-key' });
  await expect(discovery.ask(signal)).rejects.toThrow('answered with 302');
  expect(server.heard[0]).toMatchObject({ url: '/v1/models?limit=1000', headers: { 'x-api-key': 'secret-key' } });
  expect(elsewhere.heard).toEqual([]);
});

test('whoever is aborted says so, and keeps nothing', async () => {
  await using server = await modelServer({ pieces: ['HANG'] });
  await using t = await boot([acme()], { modelCatalog: server.url });
  const controller = new AbortController();
  const asked = t.view.service(models).refresh({ signal: controller.signal });
  await expect.poll(() => server.heard.length).toBe(1);
  controller.abort();
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
});

test.each<[string, unknown, readonly object[]]>([
  [
    'OpenRouter',
    {
      data: [
        {
          id: 'a/b',
          name: 'A: B',
          context_length: 100,
          top_provider: { context_length: 90_000, max_completion_tokens: 8_000 },
          architecture: { input_modalities: ['text', 'image'] },
          pricing: { prompt: '0.0000003', completion: '0.0000025', input_cache_read: '0.00000003' },
        },
      ],
    },
    [
      {
        model: 'a/b',
        name: 'A: B',
        contextWindow: 90_000,
        maxOutput: 8_000,
        input: ['text', 'image'],
        cost: { input: 0.3, output: 2.5, cacheRead: 0.03, cacheWrite: 0 },
      },
    ],
  ],
  [
    'Anthropic',
    { data: [{ type: 'model', id: 'claude-x', display_name: 'Claude X', max_input_tokens: 200_000 }] },
    [{ model: 'claude-x', name: 'Claude X', contextWindow: 200_000 }],
  ],
  [
    'Gemini',
    {
      models: [
        {
          name: 'models/gemini-x',
          displayName: 'Gemini X',
          inputTokenLimit: 9_000,
          outputTokenLimit: 800,
          supportedGenerationMethods: ['generateContent'],
        },
        { name: 'models/embedding-001', supportedGenerationMethods: ['embedContent'] },
      ],
    },
    [{ model: 'gemini-x', name: 'Gemini X', contextWindow: 9_000, maxOutput: 800 }],
  ],
  ['a bare list', [{ id: 'm', max_model_len: 4_096 }], [{ model: 'm', contextWindow: 4_096 }]],
  ['nonsense', { data: [7, {}, { id: '' }, { id: 'whisper-1' }] }, []],
  ['no list', 'hello', []],
])('the list of %s is understood', (_, answer, expected) => {
  expect(listed(answer)).toHaveLength(expected.length);
  expect(listed(answer)).toMatchObject(expected);
});

test('a plan that is paid by the month is not said to cost nothing', () => {
  const catalog = {
    v: { models: { plan: { cost: { input: 0, output: 0 } }, 'x:free': { cost: { input: 0, output: 0 } } } },
  };
  const [plan, free] = publicModels(catalog, 'v', new Set(), '2026-01-01') ?? [];
  expect(plan).not.toHaveProperty('cost');
  expect(free).toMatchObject({ cost: { input: 0 } });
  expect(publicModels(catalog, 'w', new Set(), '2026-01-01')).toBeUndefined();
});

test('a plugin says more of a model; of two the first counts, and nobody’s models are told of', async () => {
  const says = (id: string, provider: string, contextWindow: number, priority: number) =>
    definePlugin({
      id,
      requires: ['models'],
      setup: (ctx) =>
        ctx.contribute(
          modelOverrides,
          { provider, model: 'old', contextWindow, cost: { ...cost, input: 9 } },
          { priority },
        ),
    });
  await using t = await boot([
    acme(),
    says('low', 'acme', 1_000, 10),
    says('high', 'acme', 2_000, 20),
    says('lost', 'gone', 1, 5),
  ]);
  const service = t.view.service(models);
  expect(await service.list()).toMatchObject([{ contextWindow: 2_000, cost: { input: 9 }, thinking: ['low', 'high'] }]);
  expect(await service.resolve('acme/old')).toMatchObject({ contextWindow: 2_000 });
  await service.list();
  const said = t.kernel.journal.all().filter(({ message }) => message.includes('no provider of that name'));
  expect(said.map(({ message }) => message)).toEqual([expect.stringContaining('speaks of models of gone')]);
});
