import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { terminalUi } from './terminal-ui.ts';

/** A terminal made of streams: what is asked can be read, what is answered is written. */
function terminal() {
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  let shown = '';
  stderr.on('data', (chunk) => {
    shown += String(chunk);
  });
  // The interface uses no more of a terminal than a stream has.
  const ui = terminalUi(stdin as unknown as NodeJS.ReadStream, stderr as unknown as NodeJS.WriteStream);
  return { ui, type: (text: string) => stdin.write(text), close: () => stdin.end(), shown: () => shown };
}

test('a question is answered with y, and with anything else refused', async () => {
  for (const [typed, answer] of [
    ['y\n', true],
    ['Yes\n', true],
    ['\n', false],
    ['no\n', false],
  ] as const) {
    const { ui, type, shown } = terminal();
    const asked = ui.confirm('Run it?', 'rm -r build');
    type(typed);
    expect(await asked).toBe(answer);
    expect(shown()).toContain('Run it?\nrm -r build\n[y/N] ');
  }
});

test('questions wait for each other', async () => {
  const { ui, type, shown } = terminal();
  const first = ui.confirm('One?', '');
  const second = ui.confirm('Two?', '');
  await new Promise((resolve) => setImmediate(resolve));
  expect(shown()).not.toContain('Two?');
  type('y\n');
  expect(await first).toBe(true);
  await expect.poll(shown).toContain('Two?');
  type('n\n');
  expect(await second).toBe(false);
});

test('the end of input and a taken-back question are no answer', async () => {
  const { ui, close } = terminal();
  const asked = ui.confirm('Run it?', '');
  close();
  expect(await asked).toBeUndefined();
  const other = terminal();
  const controller = new AbortController();
  const taken = other.ui.confirm('Run it?', '', controller.signal);
  controller.abort();
  expect(await taken).toBeUndefined();
});

test('a choice is made by its number', async () => {
  const { ui, type } = terminal();
  const asked = ui.select('Which?', ['a', 'b']);
  type('2\n');
  expect(await asked).toBe('b');
});
