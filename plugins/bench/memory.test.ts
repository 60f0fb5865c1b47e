import { expect, test } from 'vitest';
import { highWater } from './memory.ts';

test.skipIf(process.platform !== 'linux')('the peak of a process that runs is known (Linux)', () => {
  expect(highWater(process.pid)).toBeGreaterThan(1);
});

test('a process that is not there has no peak', () => {
  expect(highWater(2 ** 30)).toBeUndefined();
});
