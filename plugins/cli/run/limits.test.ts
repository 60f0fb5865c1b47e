import { expect, test } from 'vitest';
import { limitsOf } from './limits.ts';

test('money, turns and time, each for itself', () => {
  expect(limitsOf({})).toBeUndefined();
  expect(limitsOf({ maxCost: '$0.50', maxTurns: '20', maxTime: '90' })).toEqual({
    maxCost: 0.5,
    maxTurns: 20,
    maxTimeMs: 90_000,
  });
});

test.each([
  ['30s', 30_000],
  ['5m', 300_000],
  ['1.5h', 5_400_000],
  ['1h30m', 5_400_000],
  ['1m30s', 90_000],
])('%s is a time', (text, maxTimeMs) => {
  expect(limitsOf({ maxTime: text })).toEqual({ maxTimeMs });
});

test.each([
  { maxCost: '0' },
  { maxCost: '-1' },
  { maxCost: 'much' },
  { maxTurns: '1.5' },
  { maxTurns: '0' },
  { maxTime: '5x' },
  { maxTime: '1m30' },
  { maxTime: '' },
  { maxTime: '0s' },
])('what is no limit is a mistake in the line: %o', (options) => {
  expect(() => limitsOf(options)).toThrow(expect.objectContaining({ code: 'usage' }));
});
