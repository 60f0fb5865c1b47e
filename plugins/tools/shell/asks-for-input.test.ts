import { expect, test } from 'vitest';
import { asksForInput, wantsTerminal } from './asks-for-input.ts';

test.each([
  'sudo: a terminal is required to read the password; either use the -S option or configure an askpass helper',
  'the input device is not a TTY',
  'EOFError: EOF when reading a line',
  "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
  'Host key verification failed.',
  'Do you want to continue? [Y/n] ',
  'Overwrite (yes/no)? ',
  'Enter passphrase for key:',
  'Press any key to go on...',
])('%s: it asked a person', (output) => {
  expect(asksForInput(`some output\n${output}`)).toBe(true);
});

test.each([
  '',
  'error: expected ; before }',
  'password: wrong\nTests: 3 failed',
  'Do you want to continue? [Y/n] y\nInstalled 3 packages',
  'why? nobody knows',
])('%s: it did not', (output) => {
  expect(asksForInput(output)).toBe(false);
});

test('who opens the terminal may only want to show something: that is no question', () => {
  const output = 'bash: line 1: /dev/tty: No such device or address';
  expect([asksForInput(output), wantsTerminal(output)]).toEqual([false, true]);
  expect(wantsTerminal('ls: /dev/tty2')).toBe(false);
});
