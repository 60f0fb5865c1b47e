import { expect, test } from 'vitest';
import type { Cost } from './contract.ts';
import { aModel, messageOfReply } from './test/requests.ts';
import { modelServer } from './test/server.ts';
import { askOver, testWires } from './test/wires.ts';
import { costOf, usageOf } from './usage.ts';

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const tiered: Cost = {
  ...price,
  tiers: [
    { above: 400_000, input: 12, output: 60, cacheRead: 1.2, cacheWrite: 15 },
    { above: 200_000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5 },
  ],
};
const tokens = { input: 100_000, output: 10_000, cacheRead: 50_000, cacheWrite: 20_000 };

test('each kind of token has its own price, and reasoning is part of the output', () => {
  const cost = costOf(tokens, price);
  expect(cost).toEqual({ input: 0.3, output: 0.15, cacheRead: 0.015, cacheWrite: 0.075, total: expect.closeTo(0.54) });
  expect(usageOf({ ...tokens, reasoning: 9_000 }, price).cost).toEqual(cost);
});

test('an unknown price is no price, not zero', () => {
  expect(costOf(tokens, null)).toBeNull();
  expect(usageOf({ ...tokens, reasoning: 0 }, null).cost).toBeNull();
});

test.each([
  [30_000, 3, 15],
  [30_001, 6, 22.5],
  [230_000, 6, 22.5],
  [230_001, 12, 60],
])('prices by length go by the whole prompt, its cached part too: %i more tokens', (more, input, output) => {
  const long = { ...tokens, input: 100_000 + more };
  const cost = costOf(long, tiered);
  expect(cost?.input).toBeCloseTo((long.input * input) / 1e6);
  expect(cost?.output).toBeCloseTo((long.output * output) / 1e6);
});

test.each(testWires.map((wire) => [wire.wire, wire] as const))(
  '%s: cached tokens are paid as cached',
  async (_, wire) => {
    await using server = await modelServer({
      pieces: wire.events({ text: ['hi'], usage: { input: 10_000, cached: 9_000, output: 50, reasoning: 20 } }),
    });
    const { usage } = await messageOfReply(askOver(wire, server.url, { model: aModel({ cost: price }) }));
    expect(usage).toMatchObject({ input: 1_000, cacheRead: 9_000, cacheWrite: 0, output: 50 });
    expect(usage.cost).toEqual(costOf({ input: 1_000, cacheRead: 9_000, cacheWrite: 0, output: 50 }, price));
  },
);

test('on Anthropic Messages what is kept for an hour costs more to write than what is kept for minutes', async () => {
  const [anthropic] = testWires;
  if (anthropic?.wire !== 'anthropic') throw new Error('another wire comes first');
  const pieces = anthropic
    .events({ text: ['hi'] })
    .map((event) => event.replace('"cache_creation_input_tokens":0', '"cache_creation_input_tokens":1000000'));
  await using server = await modelServer({ pieces });
  const ask = async (cacheRetention: 'short' | 'long') => {
    const reply = askOver(anthropic, server.url, { model: aModel({ cost: price }) }, { cacheRetention });
    return (await messageOfReply(reply)).usage.cost?.cacheWrite;
  };
  expect(await ask('short')).toBeCloseTo(3.75);
  expect(await ask('long')).toBeCloseTo(6);
});
