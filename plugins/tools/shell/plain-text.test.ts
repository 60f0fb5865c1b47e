import { expect, test } from 'vitest';
import { plainText } from './plain-text.ts';

test.each([
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['colours of eight bits', '\u009b31mred', 'red'],
  ['a title', '\u001b]0;owned\u0007text', 'text'],
  ['a link', '\u001b]8;;https://example.com\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['a title without its end', '\u001b]0;owned\ntext', '\ntext'],
  ['a cleared screen and a moved cursor', '\u001b[2J\u001b[Htop\u001b[10;5Hthere', 'topthere'],
  ['a switched character set, a reset', '\u001b(Ba\u001bcb', 'ab'],
  ['a sequence cut off', 'text\u001b', 'text'],
  ['CRLF', 'a\r\nb\r\n', 'a\nb\n'],
  ['a progress bar', '10 %\r50 %\r100 %\ndone\r\n', '100 %\ndone\n'],
  ['a progress bar that ends with CR', '10 %\r50 %\r', '50 %'],
  ['a bell, a backspace, a NUL, a delete', 'a\u0007b\bc\0d\u007f', 'abcd'],
  ['tabs and letters of any kind', '\tä€😀\u200d', '\tä€😀\u200d'],
])('%s', (_what, output, expected) => {
  expect(plainText(output)).toBe(expected);
});
