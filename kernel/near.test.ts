import fc from 'fast-check';
import { expect, test } from 'vitest';
import { didYouMean, editDistance, nearNames } from './near.ts';

test('a swap of two letters is one mistake', () => {
  expect(editDistance('model', 'moedl')).toBe(1);
  expect(editDistance('', 'abc')).toBe(3);
  expect(editDistance('kitten', 'sitting')).toBe(3);
});

test('the nearest name comes first, far ones not at all', () => {
  expect(nearNames('modell', ['mode', 'model', 'thinking'])).toEqual(['model', 'mode']);
  expect(nearNames('x', ['model', 'y'])).toEqual(['y']);
  expect(nearNames('somethingelse', ['model'])).toEqual([]);
});

test('a name that holds the word, or is held by it, is near unless only slips count', () => {
  expect(nearNames('opus', ['claude-opus-4', 'claude-haiku-4'])).toEqual(['claude-opus-4']);
  expect(nearNames('opus', ['claude-opus-4'], { parts: false })).toEqual([]);
  expect(nearNames('Web_Search', ['web-search', 'webSearch', 'search'])).toEqual(['web-search', 'webSearch', 'search']);
});

test('near names come nearest first, at most three', () => {
  expect(nearNames('tol', ['tool', 'til', 'toll', 'tall', 'demo'], { edits: 2 })).toEqual(['til', 'toll', 'tool']);
});

test('the distance is a metric as far as we rely on it: symmetric, zero only for the same word, never longer than the longer word', () => {
  const word = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
    { numRuns: 100, seed: 7 },
  );
});

test('names are offered in a sentence', () => {
  expect(didYouMean(['a', 'b'])).toBe('Did you mean a or b?');
  expect(didYouMean([])).toBeUndefined();
});
