import {
  type ModelProvider,
  type ModelRequest,
  modelProviders,
  modelRequest,
  modelResponse,
  models,
  type StreamEvent,
} from 'kern/contracts';
import { definePlugin, KernError, type PluginDefinition } from 'kern/plugin';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import anthropicPlugin from './anthropic/index.ts';
import authPlugin from './auth/index.ts';
import { describeModel } from './describe.ts';
import modelsPlugin from './index.ts';
import openaiPlugin from './openai-chat/index.ts';
import scriptPlugin from './script/index.ts';
import { nothingSet, withEnvironment } from './test/environment.ts';
import { answered, aRequest, collected, failureOfReply } from './test/requests.ts';

const never = new AbortController().signal;

interface Fake extends Partial<ModelProvider> {
  readonly id: string;
  readonly names?: readonly string[];
  readonly available?: boolean;
}

function fake({ id, names = ['m'], available = true, ...rest }: Fake): PluginDefinition {
  const model = (name: string) => (names.includes(name) ? describeModel(id, name, { available }) : undefined);
  const provider: ModelProvider = {
    id,
    displayName: id,
    models: () => names.flatMap((name) => model(name) ?? []),
    model,
    stream: async function* () {
      yield { type: 'done', message: answered([{ type: 'text', text: `from ${id}` }]) };
    },
    ...rest,
  };
  return definePlugin({
    id: `test.${id}`,
    requires: ['models'],
    setup: (ctx) => ctx.contribute(modelProviders, provider),
  });
}

const boot = (plugins: readonly PluginDefinition[], settings: Record<string, unknown> = {}) =>
  bootKernel([modelsPlugin, ...plugins], { settings });
const request = (id: string, changes: Partial<ModelRequest> = {}) => {
  const [provider = '', name = ''] = id.split('/');
  return aRequest({ model: describeModel(provider, name), ...changes });
};

test('all models, in order of the providers; who has to knock is asked last, and only if nobody else can', async () => {
  let knocks = 0;
  const local = fake({ id: 'aaa', probes: true, models: () => [describeModel('aaa', `n${++knocks}`)] });
  await using some = await boot([local, fake({ id: 'b' }), fake({ id: 'c', available: false, names: ['x', 'y'] })]);
  expect((await some.view.service(models).list()).map(({ id }) => id)).toEqual(['b/m', 'c/x', 'c/y']);
  expect(knocks).toBe(0);
  await using none = await boot([local, fake({ id: 'c', available: false })]);
  expect((await none.view.service(models).list()).map(({ id }) => id)).toEqual(['c/m', 'aaa/n1']);
  expect((await none.view.service(models).resolve(undefined)).id).toBe('aaa/n2');
});

test('a provider that fails to tell its models holds up nobody', async () => {
  const broken = fake({ id: 'broken', models: () => Promise.reject(new Error('no')) });
  await using test = await boot([broken, fake({ id: 'b' })]);
  expect((await test.view.service(models).list()).map(({ id }) => id)).toEqual(['b/m']);
});

test('a model by its name, by the setting, or the first that can be used', async () => {
  await using test = await boot([fake({ id: 'b', names: ['m', 'a/b:c'] }), fake({ id: 'c' })], { model: 'c/m' });
  const service = test.view.service(models);
  expect((await service.resolve('b/a/b:c')).id).toBe('b/a/b:c');
  expect((await service.resolve(undefined)).id).toBe('c/m');
  await using unset = await boot([fake({ id: 'off', available: false }), fake({ id: 'b' })]);
  expect((await unset.view.service(models).resolve(undefined)).id).toBe('b/m');
});

test('Anthropic comes before OpenAI, and a script is never chosen by itself', async () => {
  const plugins = [scriptPlugin, authPlugin, openaiPlugin, anthropicPlugin];
  await using test = await boot(plugins);
  const service = test.view.service(models);
  await withEnvironment({ ...nothingSet, ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' }, async () =>
    expect((await service.resolve(undefined)).provider).toBe('anthropic'),
  );
  await withEnvironment({ ...nothingSet, OPENAI_API_KEY: 'o' }, async () =>
    expect((await service.resolve(undefined)).provider).toBe('openai'),
  );
  await withEnvironment(nothingSet, async () => {
    await expect(service.resolve(undefined)).rejects.toMatchObject({
      code: 'no_model',
      hint: expect.stringMatching(/ANTHROPIC_API_KEY[\s\S]*OPENAI_BASE_URL[\s\S]*script\/<file>/),
    });
    await expect(service.resolve('anthropic/claude-opus-5-5')).rejects.toMatchObject({
      code: 'no_model',
      message: expect.stringContaining('ANTHROPIC_API_KEY is not set'),
    });
  });
});

test.each([
  ['b/sonet', 'did you mean b/sonnet?'],
  ['bb/sonnet', 'did you mean b/sonnet?'],
  ['sonnet', 'did you mean b/sonnet?'],
  ['zzzzzzzz/q', 'see `kern models list`; models.yml describes providers of your own'],
])('an unknown name, %s', async (id, hint) => {
  await using test = await boot([fake({ id: 'b', names: ['sonnet', 'opus'] })]);
  await expect(test.view.service(models).resolve(id)).rejects.toMatchObject({
    code: 'model_unknown',
    message: expect.stringContaining(id),
    hint,
  });
});

test('a script that is wrong is said when the model is chosen', async () => {
  await using test = await boot([scriptPlugin]);
  await expect(test.view.service(models).resolve('script/none.yml')).rejects.toMatchObject({
    code: 'script_invalid',
    message: expect.stringContaining(test.dir),
  });
});

test('a request passes the taps, and how it ended is told', async () => {
  const ended: unknown[] = [];
  const seen: ModelRequest[] = [];
  const stream = async function* (asked: ModelRequest): AsyncGenerator<StreamEvent> {
    seen.push(asked);
    if (asked.systemPrompt === 'fail') throw new KernError('model_overloaded', 'busy');
    yield { type: 'text_start', contentIndex: 0 };
    yield { type: 'done', message: answered([]) };
  };
  const taps = definePlugin({
    id: 'taps',
    requires: ['models'],
    setup(ctx) {
      ctx.tap(modelRequest, (given) => ({ ...given, headers: { 'x-a': 'b' } }));
      ctx.tap(modelResponse, (end) => void ended.push(end));
    },
  });
  await using test = await boot([fake({ id: 'b', stream }), taps]);
  const service = test.view.service(models);
  await collected(service.stream(request('b/m'), never));
  await failureOfReply(service.stream(request('b/m', { systemPrompt: 'fail' }), never));
  for await (const _ of service.stream(request('b/m'), never)) break;
  expect(seen[0]?.headers).toEqual({ 'x-a': 'b' });
  expect(ended).toEqual([
    { model: 'b/m', status: 'ok', durationMs: expect.any(Number), usage: answered([]).usage },
    { model: 'b/m', status: 'error', durationMs: expect.any(Number), error: 'busy' },
    { model: 'b/m', status: 'error', durationMs: expect.any(Number), error: 'left before its end' },
  ]);
});

test('whatever a provider throws comes with a code, and a stream without its message is none', async () => {
  const stream = async function* (asked: ModelRequest): AsyncGenerator<StreamEvent> {
    yield { type: 'text_start', contentIndex: 0 };
    if (asked.systemPrompt === 'throw') throw new TypeError('x is undefined');
  };
  await using test = await boot([fake({ id: 'b', stream })]);
  const service = test.view.service(models);
  expect(await failureOfReply(service.stream(request('b/m', { systemPrompt: 'throw' }), never))).toMatchObject({
    error: { code: 'model_bad_response', message: 'the provider b failed: x is undefined' },
    before: [{ type: 'text_start' }],
  });
  expect((await failureOfReply(service.stream(request('b/m'), never))).error).toMatchObject({
    code: 'model_disconnected',
    message: expect.stringContaining('without the message'),
  });
  expect((await failureOfReply(service.stream(request('gone/m'), never))).error).toMatchObject({
    code: 'model_unknown',
    message: expect.stringContaining('there are b'),
  });
});

test('a provider that is replaced while it streams ends its reply', async () => {
  const gate = Promise.withResolvers<void>();
  const stream = (text: string) =>
    async function* (): AsyncGenerator<StreamEvent> {
      yield { type: 'text_start', contentIndex: 0 };
      await gate.promise;
      yield { type: 'done', message: answered([{ type: 'text', text }]) };
    };
  await using test = await boot([fake({ id: 'b', stream: stream('old') })]);
  const service = test.view.service(models);
  const events = service.stream(request('b/m'), never)[Symbol.asyncIterator]();
  await events.next();
  await test.put(fake({ id: 'b', stream: stream('new') }));
  gate.resolve();
  expect((await events.next()).value).toMatchObject({ message: { content: [{ text: 'old' }] } });
  expect((await collected(service.stream(request('b/m'), never))).at(-1)).toMatchObject({
    message: { content: [{ text: 'new' }] },
  });
});

test('who is no provider is refused', async () => {
  const bad = definePlugin({
    id: 'bad',
    requires: ['models'],
    setup: (ctx) => ctx.contribute(modelProviders, { id: 'a/b' } as unknown as ModelProvider),
  });
  await expect(boot([bad])).rejects.toThrow('a model provider is');
});

test('what a file describes comes after the providers of plugins, and shadows one of the same name', async () => {
  const provider = (id: string, name: string): ModelProvider => {
    const model = describeModel(id, name);
    return { id, displayName: id, models: () => [model], model: () => model, stream: async function* () {} };
  };
  const items = [provider('own', 'x'), provider('b', 'other')].map((item) => ({ item, level: 'user' as const }));
  const file = definePlugin({
    id: 'file',
    requires: ['models'],
    setup: (ctx) =>
      ctx.provide(modelProviders, { id: 'f.yml', displayName: 'f', priority: 1, load: () => ({ items }) }),
  });
  await using test = await boot([file, fake({ id: 'b' }), fake({ id: 'c' })]);
  expect((await test.view.service(models).list()).map(({ id }) => id)).toEqual(['c/m', 'own/x', 'b/other']);
});
