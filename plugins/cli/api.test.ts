import fc from 'fast-check';
import { KernError } from 'kern/plugin';
import { expect, test } from 'vitest';
import { columns, didYouMean, editDistance, exitCodeOf, near } from './api.ts';
import { failureLines, failureReport } from './failure.ts';

test('edits are letters put in, taken out, changed or swapped', () => {
  expect(editDistance('plugins', 'plugin')).toBe(1);
  expect(editDistance('plguins', 'plugins')).toBe(1);
  expect(editDistance('doctor', 'demo')).toBe(4);
  expect(editDistance('', 'ab')).toBe(2);
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

test('near names come nearest first, at most three', () => {
  expect(near('tol', ['tool', 'til', 'toll', 'tall', 'demo'], 2)).toEqual(['til', 'toll', 'tool']);
  expect(didYouMean([])).toBeUndefined();
  expect(didYouMean(['a', 'b'])).toBe('Did you mean a or b?');
});

test('columns are as wide as what stands in them', () => {
  expect(
    columns([
      ['a', 'bb', 'c'],
      ['aaa', 'b', ''],
    ]),
  ).toEqual(['a    bb  c', 'aaa  b']);
});

test('exit codes go by the code of an error, and the rest is a failed run', () => {
  const codes = { usage: 2, tool_unknown: 2, config_unknown_key: 2, no_model: 3, untrusted: 4, model_disconnected: 1 };
  for (const [code, exit] of Object.entries(codes)) expect(exitCodeOf(new KernError(code, 'x'))).toBe(exit);
  expect(exitCodeOf(new Error('x'))).toBe(1);
});

test('a failure says what happened and what to do, for people and for programs', () => {
  const error = new KernError('no_model', 'no model', { hint: 'one\ntwo' });
  expect(failureLines(error)).toEqual(['kern: no model', '  one', '  two']);
  expect(failureReport(error)).toEqual({ error: { code: 'no_model', message: 'no model', hint: 'one\ntwo' } });
  expect(failureReport(new Error('odd'))).toEqual({ error: { code: 'failed', message: 'odd' } });
});
