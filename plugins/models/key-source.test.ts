import { expect, test } from 'vitest';
import { keyAtHand, keySource, keyVariables, wordsOf } from './key-source.ts';
import { withEnvironment } from './test/environment.ts';

test('a key stands in a variable, behind a command, or written out', () => {
  expect(keySource('$ACME_KEY')).toEqual({ kind: 'variable', name: 'ACME_KEY' });
  expect(keySource('$'.concat('{ACME_KEY}'))).toEqual({ kind: 'variable', name: 'ACME_KEY' });
  expect(keySource('! pass show acme ')).toEqual({ kind: 'command', command: 'pass show acme' });
  expect(keySource('sk-1')).toEqual({ kind: 'literal', key: 'sk-1' });
  expect(keyVariables(['$A', 'b', '!c', '$'.concat('{D}')])).toEqual(['A', 'D']);
});

test('what is at hand is told without running anything; blanks around a key are none of it', async () => {
  await withEnvironment({ KERN_TEST_KEY: ' k\n', KERN_TEST_EMPTY: '  ' }, () => {
    expect(keyAtHand('$KERN_TEST_KEY')).toEqual({ isThere: true, key: 'k' });
    expect(keyAtHand('$KERN_TEST_EMPTY')).toEqual({ isThere: false, key: undefined });
    expect(keyAtHand('!false')).toEqual({ isThere: true, key: undefined });
  });
});

test('words, with quotes', () => {
  expect(wordsOf(`op read "op://a b/c" 'd "e"' f"g"'h' "\\"i"`)).toEqual([
    'op',
    'read',
    'op://a b/c',
    'd "e"',
    'fgh',
    '"i',
  ]);
});
