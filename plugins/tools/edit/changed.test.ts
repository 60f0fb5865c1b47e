import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultText } from 'kern/contracts';
import { expect, test } from 'vitest';
import { testContext } from '../test/context.ts';
import { testTool } from './test/tool.ts';

/** A file that a session has read, and that somebody has changed since. */
function changedFile(before: string, now: string) {
  const context = testContext();
  const path = join(context.dir, 'a');
  writeFileSync(path, now);
  const { call, shown } = testTool();
  shown(path, { from: 1, lines: before.split('\n').slice(0, -1) });
  return {
    read: () => readFileSync(path, 'utf8'),
    edit: async (oldText: string, newText: string) =>
      resultText(await call(context, { path: 'a', edits: [{ oldText, newText }] })),
  };
}

const before = 'const a = 1;\nconst b = 2;\nconst c = 3;\n';

test('a change elsewhere in the file is in nobody’s way', async () => {
  const file = changedFile(before, 'new\nconst a = 10;\nconst b = 2;\nconst c = 3;\n');
  expect(await file.edit('b = 2', 'b = 4')).toContain('Edited a');
  expect(file.read()).toBe('new\nconst a = 10;\nconst b = 4;\nconst c = 3;\n');
});

test('where the edit meets the change it is refused once, with what is there now', async () => {
  const file = changedFile(before, 'const a = 1;\nconst b = 25;\nconst c = 3;\n');
  const answer = await file.edit('const b = 2', 'const b = 4');
  expect(answer).toContain('the file has changed since it was read, just where oldText is (line 2)');
  expect(answer).toContain('2: const b = 25;');
  expect(file.read()).toContain('25');
  await file.edit('const b = 2', 'const b = 4');
  expect(file.read()).toContain('const b = 45;');
});

test('a text that only the changed file has is known to be', async () => {
  const file = changedFile(before, 'const a = 1;\nlet b = 2;\nconst c = 3;\n');
  expect(await file.edit('let b', 'var b')).toContain('Edited a');
});

test('its own edits are no changes of others', async () => {
  const file = changedFile(before, before);
  await file.edit('const b = 2;', 'const b = 22;');
  await file.edit('const b = 22', 'const b = 3');
  expect(await file.edit('b = 3', 'b = 5')).toContain('Edited a');
  expect(file.read()).toBe('const a = 1;\nconst b = 5;\nconst c = 3;\n');
});

test('a file that nobody has read is edited as it is', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), before);
  const result = await testTool().call(context, { path: 'a', edits: [{ oldText: 'b = 2', newText: 'b = 4' }] });
  expect(result.isError).toBeUndefined();
});
