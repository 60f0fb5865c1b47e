import {
  type ModelObserver,
  modelHeaders,
  modelObservers,
  modelProviders,
  modelRequest,
  modelResponse,
  models,
  replyOver,
  type StreamEvent,
} from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { bootKernel } from 'kern/testing';
import { describe, expect, test } from 'vitest';
import { describeModel } from './describe.ts';
import modelsPlugin from './index.ts';
import { answered, aRequest, failureOfReply, messageOfReply } from './test/requests.ts';
import { modelServer } from './test/server.ts';
import { type TestWire, testWires } from './test/wires.ts';

const key = 'key-123456';
const never = new AbortController().signal;
const model = describeModel('test', 'm');

/** A provider that speaks one wire. */
function speaks({ wire, base }: TestWire, url: string): PluginDefinition {
  return definePlugin({
    id: 'test.provider',
    requires: ['models'],
    setup: (ctx) =>
      ctx.contribute(modelProviders, {
        id: 'test',
        displayName: 'test',
        models: () => [model],
        model: () => model,
        stream: (request, signal) =>
          replyOver(wire, { provider: 'test', baseUrl: base(url), apiKey: key }, request, signal),
      }),
  });
}

/** A provider that says the same to everything. */
function says(stream: () => AsyncIterable<StreamEvent>): PluginDefinition {
  return definePlugin({
    id: 'test.provider',
    requires: ['models'],
    setup: (ctx) =>
      ctx.contribute(modelProviders, {
        id: 'test',
        displayName: 'test',
        models: () => [model],
        model: () => model,
        stream,
      }),
  });
}

describe.each(testWires.map((wire) => [wire.wire, wire] as const))('%s', (_, wire) => {
  test('plugins see and change the request and its headers, hear of the reply, and never meet the key', async () => {
    const met: unknown[] = [];
    const plugin = definePlugin({
      id: 'curious',
      requires: ['models'],
      setup(ctx) {
        ctx.tap(modelRequest, (request) => {
          met.push(request);
          return { ...request, systemPrompt: 'Be kind.', headers: { 'x-first': '1', 'x-two': 'no' } };
        });
        ctx.tap(modelHeaders, (asked) => {
          met.push(asked);
          const own = { 'x-two': '2', Authorization: 'mine', 'x-api-key': 'mine', 'X-Goog-Api-Key': 'mine' };
          return { ...asked, headers: { ...asked.headers, ...own, Host: 'elsewhere.test', 'x-bad': 'a\nb' } };
        });
        ctx.tap(modelResponse, (response) => void met.push(response));
      },
    });
    await using server = await modelServer({ pieces: wire.events({ text: ['Hello'] }) });
    await using booted = await bootKernel([modelsPlugin, speaks(wire, server.url), plugin]);
    await messageOfReply(booted.view.service(models).stream(aRequest({ model }), never));
    const [{ headers, text } = { headers: {}, text: '' }] = server.heard;
    expect(headers).toMatchObject({ 'x-first': '1', 'x-two': '2', host: server.host });
    expect(headers).not.toHaveProperty('x-bad');
    expect(wire.keyOf(headers)).toBe(key);
    expect(JSON.stringify(headers)).not.toContain('mine');
    expect(text).toContain('Be kind.');
    expect(met).toEqual([
      expect.objectContaining({ systemPrompt: 'Be brief.' }),
      { model: 'test/m', headers: { 'x-first': '1', 'x-two': 'no' } },
      { model: 'test/m', status: 'ok', durationMs: expect.any(Number), usage: expect.objectContaining({ output: 5 }) },
    ]);
    expect(JSON.stringify(met)).not.toContain(key);
  });

  test('a refusal is told too', async () => {
    const told: unknown[] = [];
    const plugin = definePlugin({
      id: 'curious',
      requires: ['models'],
      setup: (ctx) => ctx.tap(modelResponse, (response) => void told.push(response)),
    });
    await using server = await modelServer({ status: 401, pieces: [`{"error":{"message":"no ${key}"}}`] });
    await using booted = await bootKernel([modelsPlugin, speaks(wire, server.url), plugin]);
    await failureOfReply(booted.view.service(models).stream(aRequest({ model }), never));
    const error = `test (${server.host}) answered 401: no [key]`;
    expect(told).toEqual([{ model: 'test/m', status: 'error', durationMs: expect.any(Number), error }]);
  });
});

const done: StreamEvent = { type: 'done', message: answered([{ type: 'text', text: 'hi' }]) };

async function observed(stream: () => AsyncIterable<StreamEvent>, observer: ModelObserver) {
  const plugin = definePlugin({
    id: 'onlooker',
    requires: ['models'],
    setup: (ctx) => ctx.contribute(modelObservers, observer),
  });
  const booted = await bootKernel([modelsPlugin, says(stream), plugin]);
  return { booted, ask: (signal = never) => booted.view.service(models).stream(aRequest({ model }), signal) };
}

test('who looks on hears of every event, and how it ended', async () => {
  const heard: unknown[] = [];
  const failure = Object.assign(new Error('busy'), { code: 'model_overloaded', hint: 'wait' });
  let nth = 0;
  const stream = async function* (): AsyncGenerator<StreamEvent> {
    nth += 1;
    yield { type: 'text_start', contentIndex: 0 };
    if (nth === 2) throw failure;
    yield done;
  };
  const { booted, ask } = await observed(stream, {
    id: 'all',
    begin: ({ sessionId }) => {
      heard.push(sessionId);
      return { event: ({ type }) => void heard.push(type), end: (end) => void heard.push(end) };
    },
  });
  await using _ = booted;
  await messageOfReply(ask());
  await failureOfReply(ask());
  for await (const event of ask()) if (event.type === 'text_start') break;
  expect(heard).toEqual([
    ...['s1', 'text_start', 'done', { aborted: false, error: undefined }],
    ...['s1', 'text_start', { aborted: false, error: failure }],
    ...['s1', 'text_start', { aborted: true, error: undefined }],
  ]);
});

test.each(['begin', 'event', 'end'] as const)('who fails to look on at %s does no harm', async (when) => {
  const fails = (): never => {
    throw new Error('my fault');
  };
  const stream = async function* (): AsyncGenerator<StreamEvent> {
    yield { type: 'text_start', contentIndex: 0 };
    yield done;
  };
  const { booted, ask } = await observed(stream, {
    id: 'clumsy',
    begin: () => (when === 'begin' ? fails() : { [when]: fails }),
  });
  await using _ = booted;
  expect(await messageOfReply(ask())).toBe(done.type === 'done' ? done.message : undefined);
});

test('who is not interested is left alone', async () => {
  const { booted, ask } = await observed(
    async function* () {
      yield done;
    },
    { id: 'none', begin: () => undefined },
  );
  await using _ = booted;
  expect(await messageOfReply(ask())).toMatchObject({ role: 'assistant' });
});
