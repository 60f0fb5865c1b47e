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

test('names are offered in a sentence', () => {
  expect(didYouMean(['a', 'b'])).toBe(' Did you mean a or b?');
  expect(didYouMean([])).toBe('');
});
