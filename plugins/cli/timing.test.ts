import { expect, test } from 'vitest';
import { slowStarts } from './timing.ts';

test('plugins that took long to start are named, slowest first; quick ones are not', () => {
  const took = (id: string, startMs: number, loadMs = 0) => ({ id, startMs, loadMs });
  expect(slowStarts([took('a', 1), took('b', 7.25), took('c', 30), took('d', 4.9)])).toBe('c 30.0, b 7.3');
  expect(slowStarts([took('a', 1, 6), took('b', 4)]), 'loading counts').toBe('a 7.0');
  expect(slowStarts([took('a', 0)])).toBeUndefined();
});
