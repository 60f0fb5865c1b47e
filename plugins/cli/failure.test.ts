import { KernError } from 'kern/plugin';
import { expect, test } from 'vitest';
import { failureLines } from './failure.ts';

test('what a server or a file says in a failure moves no terminal; its lines stay lines', () => {
  const error = new KernError('x', 'one\u001b[2J\n\ttwo\u202e', { hint: 'try\u0007\nagain' });
  expect(failureLines(error)).toEqual(['kern: one\\u{1b}[2J\n  two\\u{202e}', '  try\\u{7}', '  again']);
});
