import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { auth, modelProviders, models } from 'kern/contracts';
import { definePlugin, type Processes, processes, type SpawnOptions, type SpawnResult } from 'kern/plugin';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import anthropicPlugin from '../anthropic/index.ts';
import authPlugin from '../auth/index.ts';
import modelsPlugin from '../index.ts';
import { withEnvironment } from '../test/environment.ts';
import { aRequest, failureOfReply, messageOfReply } from '../test/requests.ts';
import { anthropicBlock, anthropicEvents, chatDelta, chatEvents, modelServer } from '../test/server.ts';
import { testWires } from '../test/wires.ts';
import { checkModels } from './check.ts';
import { factsOf } from './described.ts';
import customPlugin from './index.ts';

const never = new AbortController().signal;
const chat = { pieces: chatEvents(chatDelta({ content: 'hi' }), chatDelta({}, 'stop')) };

test('a provider and its models', () => {
  const { providers, problems } = checkModels(
    `providers:
  acme:
    wire: openai-chat
    baseUrl: https://models.acme.test/v1
    apiKey: $ACME_KEY
    headers: { x-team: blue }
    models:
      - { id: big/one, name: Big, contextWindow: 64000, maxOutput: 4000, reasoning: true, input: [text], cost: { input: 1, output: 2 } }
`,
    'models.yml',
  );
  expect(problems).toEqual([]);
  const model = {
    id: 'big/one',
    name: 'Big',
    contextWindow: 64_000,
    maxOutput: 4_000,
    reasoning: true,
    input: ['text'],
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  };
  expect(providers).toEqual([
    {
      id: 'acme',
      place: 'models.yml:2',
      wire: 'openai-chat',
      baseUrl: 'https://models.acme.test/v1',
      apiKey: '$ACME_KEY',
      headers: { 'x-team': 'blue' },
      models: [model],
    },
  ]);
});

test('a mistake costs the provider it is in, and is named with its line', () => {
  const { providers, problems } = checkModels(
    `providers:
  a:
    wire: openai-chat
    baseUrl: localhost:8000
  b:
    wire: opennai
    baseUrl: http://x/v1
  c:
    wire: anthropic
    baseUrl: http://x
    modles: []
  d/e:
    wire: anthropic
    baseUrl: http://x
  script: { wire: anthropic, baseUrl: http://x }
  f:
    wire: google
    baseUrl: https://x
  g:
    wire: anthropic
    baseUrl: http://x
    models:
      - id: m
        contextWindow: many
  good: { wire: anthropic, baseUrl: http://x }
extra: 1
`,
    'models.yml',
  );
  expect(providers.map(({ id }) => id)).toEqual(['f', 'good']);
  expect(problems.map(({ text }) => text.slice(0, 70))).toEqual([
    'models.yml:26: extra is not known here; models.yml has `providers`',
    'models.yml:4: a.baseUrl: expected an http or https address',
    expect.stringMatching(/^models.yml:6: b.wire: /),
    'models.yml:11: c: Unrecognized key: "modles"',
    expect.stringMatching(/^models.yml:12: d\/e cannot be the name of a provider/),
    expect.stringMatching(/^models.yml:15: script cannot be the name/),
    'models.yml:24: g.models.0.contextWindow: expected number, received str',
  ]);
});

test('without wire and address it says more of models that are known', () => {
  const { providers, overrides, problems } = checkModels(
    `providers:
  anthropic:
    models:
      - { id: claude-opus-5-5, cost: { input: 1, output: 2, tiers: [{ above: 200000, input: 2, output: 3 }] } }
      - { id: claude-next, reasoning: true, aliases: [next] }
      - { id: claude-odd, cost: null, thinking: [low, high], thinkingBudgets: { high: 9000 } }
  openai:
    models:
      - id: gpt-6
        contxtWindow: 5
  groq:
    apiKey: x
  xai:
    baseUrl: http://x/v1
`,
    'models.yml',
  );
  expect(providers).toEqual([]);
  expect(overrides).toMatchObject([
    { id: 'anthropic', place: 'models.yml:2', models: [{ id: 'claude-opus-5-5', cost: { cacheRead: 0 } }, {}, {}] },
  ]);
  expect(overrides[0]?.models.map(factsOf)).toMatchObject([
    { cost: { tiers: [{ above: 200_000, cacheWrite: 0 }] } },
    { thinking: ['off', 'low', 'medium', 'high'], aliases: ['next'] },
    { cost: null, thinking: ['low', 'high'], thinkingBudgets: { high: 9_000 } },
  ]);
  expect(problems.map(({ text }) => text.slice(0, 90))).toEqual([
    'models.yml:10: openai.models.0: Unrecognized key: "contxtWindow"',
    expect.stringMatching(/^models.yml:12: groq: apiKey needs wire and baseUrl beside it; the key of a p/),
    expect.stringMatching(/^models.yml:13: xai.wire: /),
  ]);
});

test.each([
  ['providers: [', 'models.yml:1: '],
  ['- a', 'models.yml:1: expected a map'],
  ['providers: 7', 'models.yml:1: providers: expected a map'],
])('a file that is no map of providers: %s', (text, said) => {
  expect(checkModels(text, 'models.yml').problems[0]?.text).toContain(said);
});

test('an empty file has nothing to say', () => {
  expect(checkModels('', 'models.yml')).toEqual({ providers: [], overrides: [], problems: [] });
});

/** A supervisor that answers with what a command would print. */
function fakeProcesses(started: string[][], result: Partial<SpawnResult>) {
  const spawn = (command: string, args: readonly string[], _: SpawnOptions = {}) => {
    started.push([command, ...args]);
    const base = {
      exitCode: 0,
      signal: undefined,
      stdout: '',
      stderr: '',
      timedOut: false,
      aborted: false,
      dropped: 0,
      durationMs: 1,
    };
    return {
      pid: 1,
      result: Promise.resolve({ ...base, ...result }),
      write: () => {},
      end: () => {},
      kill: async () => {},
    };
  };
  const service: Processes = { spawn, list: () => [], killAllNow: () => {}, killAll: async () => {} };
  return definePlugin({ id: 'processes', declares: [processes], setup: (ctx) => ctx.contribute(processes, service) });
}

async function providersOf(text: string, started: string[][] = [], result: Partial<SpawnResult> = {}) {
  const booted = await bootKernel([modelsPlugin, authPlugin, customPlugin, fakeProcesses(started, result)]);
  writeFileSync(path.join(booted.view.where.home, 'models.yml'), text);
  const reader = booted.view.use(modelProviders);
  await reader.load();
  return { booted, reader, provider: reader.items()[0] };
}

test('models.yml of the home gives providers at user level', async () => {
  await using server = await modelServer(chat, {
    pieces: anthropicEvents(anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'hi' })),
  });
  const { booted, reader } = await providersOf(`providers:
  one: { wire: openai-chat, baseUrl: ${server.url}/v1, apiKey: key-literal, headers: { x-team: blue }, models: [{ id: a/b, reasoning: true }] }
  two: { wire: anthropic, baseUrl: ${server.url}/v1, apiKey: $KERN_TEST_KEY }
`);
  await using _ = booted;
  expect(reader.entries().map(({ key, origin }) => [key, origin.level, origin.provider])).toEqual([
    ['one', 'user', 'models.yml'],
    ['two', 'user', 'models.yml'],
  ]);
  const [one, two] = reader.items();
  expect(await one?.models()).toMatchObject([
    { id: 'one/a/b', thinking: ['off', 'low', 'medium', 'high'], available: true },
  ]);
  expect(await one?.model('unlisted')).toMatchObject({ id: 'one/unlisted', available: true });
  const model = await one?.model('a/b');
  if (one === undefined || two === undefined || model === undefined) throw new Error('no providers');
  expect(await messageOfReply(one.stream(aRequest({ model, thinking: 'low' }), never))).toMatchObject({
    provider: 'one',
    model: 'a/b',
  });
  expect(server.heard[0]).toMatchObject({
    url: '/v1/chat/completions',
    headers: { authorization: 'Bearer key-literal', 'x-team': 'blue' },
    body: { model: 'a/b', reasoning_effort: 'low' },
  });
  await withEnvironment({ KERN_TEST_KEY: undefined }, async () => {
    expect(two.missing?.()).toContain('KERN_TEST_KEY is not set; ');
    expect(await two.model('m')).toMatchObject({ available: false });
    expect((await failureOfReply(two.stream(aRequest(), never))).error).toMatchObject({
      code: 'model_unauthorized',
      hint: 'set KERN_TEST_KEY',
    });
  });
  await withEnvironment({ KERN_TEST_KEY: 'key-from-env' }, async () => {
    await messageOfReply(two.stream(aRequest(), never));
    expect(server.heard[1]).toMatchObject({ url: '/v1/messages', headers: { 'x-api-key': 'key-from-env' } });
  });
});

test('a header may be a variable, which is kept like a key; without it the provider cannot be used', async () => {
  await using server = await modelServer(chat);
  const { booted, reader } = await providersOf(`providers:
  acme: { wire: openai-chat, baseUrl: ${server.url}/v1, headers: { x-team: $KERN_TEST_TEAM, x-price: 5$ } }
`);
  await using _ = booted;
  const [acme] = reader.items();
  if (acme === undefined) throw new Error('no provider');
  expect(acme.secrets?.()).toEqual(['$KERN_TEST_TEAM']);
  await withEnvironment({ KERN_TEST_TEAM: undefined }, async () => {
    expect(acme.missing?.()).toMatch(/^KERN_TEST_TEAM is not set; .*models\.yml:2 takes a header of acme from it$/);
    expect((await failureOfReply(acme.stream(aRequest(), never))).error).toMatchObject({ hint: 'set KERN_TEST_TEAM' });
  });
  await withEnvironment({ KERN_TEST_TEAM: 'the-blue-team' }, async () => {
    expect(acme.missing?.()).toBeUndefined();
    await messageOfReply(acme.stream(aRequest(), never));
    expect(server.heard[0]).toMatchObject({ headers: { 'x-team': 'the-blue-team', 'x-price': '5$' } });
    expect(booted.view.service(auth).redact('of the-blue-team')).not.toContain('blue');
  });
});

test.each([
  ['Bearer $ACME_TOKEN', 'acme.headers.authorization: a variable stands alone'],
  ['$ACME_TOKEN more', 'acme.headers.authorization: a variable stands alone'],
  ['!pass show acme', 'acme.headers.authorization: a command is for apiKey alone'],
])('a header of %s is refused', (text, why) => {
  const yaml = `providers:\n  acme: { wire: anthropic, baseUrl: http://x, headers: { authorization: '${text}' } }\n`;
  const { providers, problems } = checkModels(yaml, 'models.yml');
  expect(providers).toEqual([]);
  expect(problems).toMatchObject([{ provider: 'acme', text: expect.stringContaining(why) }]);
});

test('what models.yml says of the models of another provider counts, and adds to them', async () => {
  const booted = await bootKernel([modelsPlugin, customPlugin, authPlugin, anthropicPlugin, fakeProcesses([], {})]);
  await using _ = booted;
  const file = path.join(booted.view.where.home, 'models.yml');
  const said = `providers:
  anthropic:
    models:
      - { id: claude-opus-5-5, cost: { input: 1, output: 2 } }
      - { id: claude-secret, name: Secret, contextWindow: 5000, aliases: [hush] }
`;
  writeFileSync(file, said);
  const service = booted.view.service(models);
  await withEnvironment({ ANTHROPIC_API_KEY: 'k' }, async () => {
    const known = await service.find('anthropic/claude-opus-5-5');
    expect(known.model).toMatchObject({ cost: { input: 1, output: 2, cacheRead: 0 }, contextWindow: 1_000_000 });
    expect((await service.resolve('anthropic/claude-secret')).contextWindow).toBe(5_000);
    expect((await service.find('hush')).model).toMatchObject({ id: 'anthropic/claude-secret', cost: null });
    expect((await service.list()).filter(({ model }) => model === 'claude-opus-5-5')).toHaveLength(1);
  });
});

test('a provider that a mistake has cost is no other one: the mistake is told', async () => {
  const { booted } = await providersOf('providers:\n  local:\n    wire: opennai\n    baseUrl: http://127.0.0.1:1/v1\n');
  await using _ = booted;
  await expect(booted.view.service(models).find('local/gpt-6.2-sol')).rejects.toMatchObject({
    code: 'model_unknown',
    message: expect.stringMatching(/no such provider local: .*models\.yml:3: local\.wire: /),
  });
});

test('a key that a command prints: run once, as words, not by a shell', async () => {
  await using server = await modelServer(chat);
  const started: string[][] = [];
  const { booted, provider } = await providersOf(
    `providers:\n  one: { wire: openai-chat, baseUrl: ${server.url}/v1, apiKey: '!pass show "my key" $HOME' }\n`,
    started,
    { stdout: 'key-of-command\n' },
  );
  await using _ = booted;
  if (provider === undefined) throw new Error('no provider');
  expect(started).toEqual([]);
  await messageOfReply(provider.stream(aRequest(), never));
  await messageOfReply(provider.stream(aRequest(), never));
  expect(started).toEqual([['pass', 'show', 'my key', '$HOME']]);
  expect(server.heard.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer key-of-command',
    'Bearer key-of-command',
  ]);
});

test('a command that fails is named, and tried again', async () => {
  const started: string[][] = [];
  const { booted, provider } = await providersOf(
    "providers:\n  one: { wire: openai-chat, baseUrl: http://127.0.0.1:1/v1, apiKey: '!pass show x' }\n",
    started,
    { exitCode: 2, stdout: 'half-a-key', stderr: 'locked\nmore' },
  );
  await using _ = booted;
  if (provider === undefined) throw new Error('no provider');
  for (const times of [1, 2]) {
    const { error } = await failureOfReply(provider.stream(aRequest(), never));
    expect(error).toMatchObject({
      code: 'model_unauthorized',
      message: expect.stringContaining('ended with 2: locked'),
    });
    expect((error as Error).message).not.toContain('half-a-key');
    expect(started).toHaveLength(times);
  }
});

test.each(testWires.map((wire) => [wire.wire, wire] as const))('the wire %s is spoken', async (wire, played) => {
  await using server = await modelServer({ pieces: played.events({ text: ['hi'] }) });
  const { booted, provider } = await providersOf(
    `providers:\n  one: { wire: ${wire}, baseUrl: ${played.base(server.url)}, apiKey: key-literal, models: [{ id: m }] }\n`,
  );
  await using _ = booted;
  const [model] = (await provider?.models()) ?? [];
  if (provider === undefined || model === undefined) throw new Error('no provider');
  expect(await messageOfReply(provider.stream(aRequest({ model }), never))).toMatchObject({
    content: [{ text: 'hi' }],
  });
  expect(server.heard[0]?.url).toBe(played.path);
  expect(played.keyOf(server.heard[0]?.headers ?? {})).toBe('key-literal');
});
