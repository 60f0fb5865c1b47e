import { expect, test } from 'vitest';
import { nothingSet, withEnvironment } from '../test/environment.ts';
import { aRequest, failureOfReply, messageOfReply } from '../test/requests.ts';
import { anthropicBlock, anthropicEvents, modelServer } from '../test/server.ts';
import { anthropic } from './anthropic.ts';

const provider = anthropic({ idleTimeoutMs: 10_000 });
const never = new AbortController().signal;

test('the models of the catalogue, usable as soon as there is a key', async () => {
  await withEnvironment(nothingSet, async () => {
    const models = await provider.models();
    expect(models[0]).toMatchObject({
      id: 'anthropic/claude-opus-5-5',
      name: 'Claude Opus 5.5',
      contextWindow: 1_000_000,
      maxOutput: 128_000,
      available: false,
    });
    expect(models[0]?.thinking).toEqual(['low', 'medium', 'high', 'xhigh', 'max']);
    expect(models[0]?.cost).toEqual({ input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5, validFrom: '2026-11-20' });
    expect(provider.missing?.()).toContain('ANTHROPIC_API_KEY');
    process.env.ANTHROPIC_API_KEY = 'k';
    expect((await provider.models()).every(({ available }) => available)).toBe(true);
    expect(provider.missing?.()).toBeUndefined();
  });
});

test('a model that is not listed is usable, at an unknown price', async () => {
  await withEnvironment({ ...nothingSet, ANTHROPIC_API_KEY: 'k' }, async () => {
    expect(await provider.model('claude-next')).toMatchObject({
      id: 'anthropic/claude-next',
      cost: null,
      available: true,
      thinking: ['off'],
    });
    expect(await provider.model('claude-haiku-5-5')).toMatchObject({ name: 'Claude Haiku 5.5' });
  });
});

test('key and base URL come from the environment of the moment', async () => {
  await using server = await modelServer({
    pieces: anthropicEvents(anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'hi' })),
  });
  const environment = { ...nothingSet, ANTHROPIC_API_KEY: ' key-1\n', ANTHROPIC_BASE_URL: server.url };
  await withEnvironment(environment, async () => {
    const model = await provider.model('claude-opus-5-5');
    if (model === undefined) throw new Error('no model');
    const message = await messageOfReply(provider.stream(aRequest({ model, thinking: 'medium' }), never));
    expect(message).toMatchObject({ provider: 'anthropic', model: 'claude-opus-5-5', content: [{ text: 'hi' }] });
    expect(message.usage.cost?.total).toBeGreaterThan(0);
  });
  expect(server.heard[0]).toMatchObject({ url: '/v1/messages', headers: { 'x-api-key': 'key-1' } });
  expect(server.heard[0]?.body).toMatchObject({
    model: 'claude-opus-5-5',
    thinking: { type: 'adaptive' },
    output_config: { effort: 'medium' },
  });
});

test('a refused key says which variable to look at', async () => {
  await using server = await modelServer({
    status: 401,
    pieces: ['{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'],
  });
  await withEnvironment(
    { ...nothingSet, ANTHROPIC_API_KEY: 'key-123456', ANTHROPIC_BASE_URL: server.url },
    async () => {
      const { error } = await failureOfReply(provider.stream(aRequest(), never));
      expect(error).toMatchObject({
        code: 'model_unauthorized',
        message: `anthropic (${server.host}) answered 401: invalid x-api-key`,
        hint: expect.stringContaining('ANTHROPIC_API_KEY'),
      });
    },
  );
});
