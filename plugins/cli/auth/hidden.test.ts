import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askHidden } from './hidden.ts';

function terminal() {
  const keys = new PassThrough();
  const modes: boolean[] = [];
  let shown = '';
  const stdin = Object.assign(keys, {
    setRawMode(isRaw: boolean) {
      modes.push(isRaw);
      return stdin;
    },
  });
  const stderr = { write: (text: string) => (shown += text) };
  return { keys, modes, shown: () => shown, stdin: stdin as unknown as NodeJS.ReadStream, stderr };
}

test.each([
  ['what is typed', ['se', 'cret', '\r'], 'secret'],
  ['what is pasted, with a line end', ['\u001b[200~secret\u001b[201~', '\n'], 'secret'],
  ['after corrections', ['wrong\u0015secrt\u007fet\r'], 'secret'],
  ['without the arrow keys', ['sec\u001b[Dret\r'], 'secret'],
  ['nothing after Ctrl-C', ['sec\u0003'], undefined],
  ['nothing after Ctrl-D', ['\u0004'], undefined],
])('a key typed unseen: %s', async (_, chunks, expected) => {
  const t = terminal();
  const asked = askHidden('Key: ', { ...t, signal: new AbortController().signal });
  for (const chunk of chunks) t.keys.write(chunk);
  expect(await asked).toBe(expected);
  expect(t.shown()).toBe('Key: \n');
  expect(t.modes).toEqual([true, false]);
});

test('an abort takes the question back', async () => {
  const t = terminal();
  const controller = new AbortController();
  const asked = askHidden('Key: ', { ...t, signal: controller.signal });
  controller.abort();
  expect(await asked).toBeUndefined();
  expect(t.modes).toEqual([true, false]);
});
