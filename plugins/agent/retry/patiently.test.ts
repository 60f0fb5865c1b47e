import { ModelError } from 'kern/contracts';
import { expect, test } from 'vitest';
import { delayBefore, spanText } from './delay.ts';
import { patiently } from './patiently.ts';

const settings = {
  enabled: true,
  maxRetries: 2,
  baseDelayMs: 1,
  maxDelayMs: 1_000,
  cooldownMs: 0,
  fallbackChains: {},
};
const busy = new ModelError('model_overloaded', 'busy');
const { signal } = new AbortController();

test('a wait doubles, keeps to the limit, and is up to a quarter shorter', () => {
  const wait = (nth: number, random = 0) => delayBefore(nth, busy, { ...settings, baseDelayMs: 300 }, () => random).ms;
  expect([wait(1), wait(2), wait(3), wait(9)]).toEqual([300, 600, 1_000, 1_000]);
  expect(wait(1, 0.9999)).toBe(225);
});

test.each([
  [900, '1 s'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [90_061_000, '25 h 1 min'],
  [0, '0 s'],
])('%i ms are %s', (ms, text) => {
  expect(spanText(ms)).toBe(text);
});

test('a request beside the conversation is made again while that may help', async () => {
  let tries = 0;
  const ask = async () => {
    tries += 1;
    if (tries < 3) throw busy;
    return 'here';
  };
  expect(await patiently(ask, () => settings, signal)).toBe('here');
  expect(tries).toBe(3);
});

test.each([
  ['after so many tries', busy, settings, 3],
  ['for what does not pass', new ModelError('model_quota', 'no credit'), settings, 1],
  ['when it is switched off', busy, { ...settings, enabled: false }, 1],
  ['when the server asks for too long', new ModelError('model_overloaded', 'b', { retryAfterMs: 5_000 }), settings, 1],
])('it fails %s', async (_, failure, how, most) => {
  let tries = 0;
  const ask = async () => {
    tries += 1;
    throw failure;
  };
  await expect(patiently(ask, () => how, signal)).rejects.toBe(failure);
  expect(tries).toBe(most);
});

test('an abort ends its wait', async () => {
  const controller = new AbortController();
  const asked = patiently(
    async () => {
      setTimeout(() => controller.abort(), 5);
      throw busy;
    },
    () => ({ ...settings, baseDelayMs: 60_000, maxDelayMs: 60_000 }),
    controller.signal,
  );
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
});
