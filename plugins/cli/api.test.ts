import { KernError } from 'kern/plugin';
import { expect, test } from 'vitest';
import { columns, exitCodeOf } from './api.ts';
import { failureLines, failureReport } from './failure.ts';

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
