import { expect, test } from 'vitest';
import type { ModelRequest } from '../contract.ts';
import { aModel, answered, collected, readFace, resulted, said } from '../test/requests.ts';
import { modelServer } from '../test/server.ts';
import { askOver, testWire } from '../test/wires.ts';
import type { Endpoint } from './endpoint.ts';

const wire = testWire('anthropic');

async function bodyOf(request: Partial<ModelRequest>, endpoint: Partial<Endpoint> = {}) {
  await using server = await modelServer({ pieces: wire.events({ text: ['ok'] }) });
  await collected(askOver(wire, server.url, request, endpoint));
  return server.heard[0]?.body;
}

const thinking = ['off', 'low', 'high'] as const;
const call = { type: 'toolCall' as const, id: 'c', name: 'read', arguments: {} };

test('a budget is part of the limit, and leaves room for an answer', async () => {
  const model = aModel({ thinking, thinkingBudgets: { high: 6_000, low: 10 }, maxOutput: 8_000 });
  const sent = async (level: ModelRequest['thinking'], maxOutput?: number) => {
    const request = { model, thinking: level, ...(maxOutput === undefined ? {} : { maxOutput }) };
    const { thinking: said, max_tokens: limit } = await bodyOf(request);
    return [limit, said];
  };
  expect(await sent('high')).toEqual([8_000, { type: 'enabled', budget_tokens: 6_000 }]);
  expect(await sent('low')).toEqual([8_000, { type: 'enabled', budget_tokens: 1_024 }]);
  expect(await sent('high', 3_000)).toEqual([3_000, { type: 'enabled', budget_tokens: 1_976 }]);
  expect(await sent('high', 500)).toEqual([500, { type: 'disabled' }]);
  expect(await sent('off')).toEqual([8_000, { type: 'disabled' }]);
});

test('others who speak as Claude does think by a usual budget; a new Claude needs none', async () => {
  const other = aModel({ model: 'kimi-k3', thinking, maxOutput: 32_000 });
  expect((await bodyOf({ model: other, thinking: 'high' })).thinking).toEqual({
    type: 'enabled',
    budget_tokens: 16_384,
  });
  const claude = aModel({ model: 'claude-opus-5-5', thinking, maxOutput: 32_000 });
  expect((await bodyOf({ model: claude, thinking: 'high' })).thinking).toMatchObject({ type: 'adaptive' });
});

test('where another model has called tools without thinking, the turn goes on without', async () => {
  const model = aModel({ thinking, thinkingBudgets: { high: 2_000 } });
  const own = { api: 'anthropic-messages', provider: 'test', model: 'm' };
  const thought = { type: 'thinking' as const, thinking: 'hm', thinkingSignature: 'sig' };
  const sent = async (messages: ModelRequest['messages']) =>
    (await bodyOf({ model, thinking: 'high', messages })).thinking.type;
  expect(await sent([said('go'), answered([call]), resulted('c', 'read', 'x')])).toBe('disabled');
  expect(await sent([said('go'), answered([thought, call], own), resulted('c', 'read', 'x')])).toBe('enabled');
  expect(await sent([said('go'), answered([call]), resulted('c', 'read', 'x'), said('on')])).toBe('enabled');
});

test('what is cached lives for minutes, for an hour, or not at all', async () => {
  const request = { tools: [readFace], messages: [said('a'), answered([{ type: 'text', text: 'b' }]), said('c')] };
  const marks = async (cacheRetention?: Endpoint['cacheRetention'], purpose: ModelRequest['purpose'] = 'turn') => {
    const body = await bodyOf({ ...request, purpose }, cacheRetention === undefined ? {} : { cacheRetention });
    return JSON.stringify(body).match(/"cache_control":\{[^}]*\}/g) ?? [];
  };
  const short = '"cache_control":{"type":"ephemeral"}';
  expect(await marks()).toEqual([short, short, short, short]);
  expect(new Set(await marks('long'))).toEqual(new Set(['"cache_control":{"type":"ephemeral","ttl":"1h"}']));
  expect(await marks('none')).toEqual([]);
  expect(await marks('short', 'summary')).toEqual([]);
});
