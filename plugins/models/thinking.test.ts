import { expect, test } from 'vitest';
import type { ThinkingLevel } from './contract.ts';
import { clampThinking, reasoningFor } from './thinking.ts';

test.each<[readonly ThinkingLevel[], ThinkingLevel, ThinkingLevel]>([
  [['off', 'low', 'high'], 'high', 'high'],
  [['off', 'low', 'high'], 'max', 'high'],
  [['off', 'low', 'high'], 'minimal', 'off'],
  [['high', 'low'], 'off', 'low'],
  [['off'], 'max', 'off'],
  [[], 'max', 'off'],
])('of %j, asked for %s: %s', (levels, wanted, got) => {
  expect(clampThinking(levels, wanted)).toBe(got);
});

test('a model that does not think is told nothing, one that does can be told none', () => {
  expect(reasoningFor(['off'], 'high')).toBeUndefined();
  expect(reasoningFor(['off', 'low'], 'off')).toBe('none');
  expect(reasoningFor(['low', 'high'], 'off')).toBe('low');
});
