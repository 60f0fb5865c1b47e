import { expect, test } from 'vitest';
import { generationOf, nameParts, namePattern } from './names.ts';

test.each<[string, string, readonly number[], string | undefined]>([
  ['claude-opus-5-5', 'claude opus', [5, 5], undefined],
  ['claude-haiku-4-5-20251001', 'claude haiku', [4, 5], '20251001'],
  ['claude-3-5-sonnet', 'claude sonnet', [3, 5], undefined],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude sonnet', [4, 5], '20250929'],
  ['anthropic/claude-opus-5.5', 'claude opus', [5, 5], undefined],
  ['gpt-5.4-mini', 'gpt mini', [5, 4], undefined],
  ['gpt-4o-2024-11-20', 'gpt 4o', [], '20241120'],
  ['openai/gpt-oss-120b', 'gpt oss 120b', [], undefined],
  ['o4-mini', 'o mini', [4], undefined],
  ['accounts/fireworks/models/glm-5p3', 'glm', [5, 3], undefined],
  ['moonshotai/Kimi-K3.1-Pro', 'kimi k pro', [3, 1], undefined],
  ['deepseek-ai/DeepSeek-V4.1-Flash', 'deepseek flash', [4, 1], undefined],
  ['llama-3.3-70b-versatile', 'llama 70b versatile', [3, 3], undefined],
  ['mistral-large-2512', 'mistral large', [], '2512'],
  ['mistral-large-4-0-8', 'mistral large', [4, 0, 8], undefined],
  ['Opus 5', 'opus', [5], undefined],
  ['sonnet', 'sonnet', [], undefined],
  ['gpt5', 'gpt', [5], undefined],
])('%s', (name, words, version, date) => {
  expect(nameParts(name)).toMatchObject({ words: words.split(' '), version, date });
});

test('a generation grows with the version; of several names the first that has one counts', () => {
  const order = ['o3', 'claude-opus-4', 'gpt-4.1', 'glm-4.10', 'gpt-5', 'claude-opus-5-5', 'gpt-6.2-sol'];
  const generations = order.map((name) => generationOf(name) ?? 0);
  expect(generations).toEqual([...generations].sort((a, b) => a - b));
  expect(generationOf('deepseek-flash', 'DeepSeek V4.1 Flash')).toBe(401);
  expect(generationOf('auto')).toBeUndefined();
});

test('a pattern with a slash means the whole id, one without the model; its other signs stand for themselves', () => {
  const fits = (name: string, id: string): boolean => namePattern(name)({ id, model: id.slice(id.indexOf('/') + 1) });
  expect(fits('anthropic/*', 'anthropic/claude-opus-5-5')).toBe(true);
  expect(fits('anthropic/*', 'openrouter/anthropic/claude-opus-5.5')).toBe(false);
  expect(fits('*sonnet*', 'openrouter/anthropic/claude-SONNET-5')).toBe(true);
  expect(fits('gpt-5.?', 'openai/gpt-5.1')).toBe(true);
  expect(fits('gpt-5.?', 'openai/gpt-5x1')).toBe(false);
  expect(fits('gpt-5', 'openai/gpt-5-mini')).toBe(false);
});
