import { expect, test } from 'vitest';
import { interleaved, median, quantile } from './median.ts';

test('the median is the middle one, or halfway between the two in the middle', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([9, 1, 5, 2])).toBe(3.5);
  expect(median([7])).toBe(7);
  expect(median([])).toBeNaN();
});

test('a quantile lies between its neighbours, and the samples stay in their order', () => {
  const samples = [4, 0, 2, 1, 3];
  expect([0, 0.25, 0.5, 0.9, 1].map((q) => quantile(samples, q))).toEqual([0, 1, 2, 3.6, 4]);
  expect(samples).toEqual([4, 0, 2, 1, 3]);
});

test('cases take turns, each other round backwards, and the round before the first does not count', async () => {
  const said: string[] = [];
  const counting = (name: string) => async (): Promise<number> => said.push(name);
  const samples = await interleaved(3, { a: counting('a'), b: counting('b') });
  expect(said.join('')).toBe('ab' + 'ba' + 'ab' + 'ba');
  expect(samples).toEqual({ a: [4, 5, 8], b: [3, 6, 7] });
});

test('a measurement that fails ends the rounds', async () => {
  const failing = async (): Promise<number> => Promise.reject(new Error('no such model'));
  await expect(interleaved(2, { a: async () => 1, b: failing })).rejects.toThrow('no such model');
});
