import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultText, type ToolResult } from 'kern/contracts';
import { expect, test } from 'vitest';
import { createFileStore } from '../file-store.ts';
import { type TestContext, testContext } from '../test/context.ts';
import type { Edit } from './apply.ts';
import { editTool } from './edit.ts';
import type { EditDetails } from './edit-file.ts';

const files = createFileStore();
const edit = editTool(() => files, 1_000_000);
const call = (
  context: TestContext,
  path: string,
  edits: readonly Edit[],
  signal = new AbortController().signal,
): Promise<ToolResult<EditDetails>> =>
  edit.execute('c1', { path, edits: [...edits] }, signal, () => undefined, context);

test('a file is changed and nothing else of it, and the answer is the diff', async () => {
  const context = testContext();
  const path = join(context.dir, 'a.ts');
  writeFileSync(path, '\ufeffone  \r\ntwo\r\nthree\nfour');
  chmodSync(path, 0o640);
  const result = await call(context, 'a.ts', [{ oldText: 'two\nthree', newText: 'zwei\nthree' }]);
  expect(readFileSync(path, 'utf8')).toBe('\ufeffone  \r\nzwei\r\nthree\nfour');
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(resultText(result)).toBe(
    'Edited a.ts:\n@@ -1,4 +1,4 @@\n \ufeffone  \n-two\n+zwei\n three\n four\n\\ No newline at end of file',
  );
  expect(result.details).toMatchObject({
    firstChangedLine: 2,
    patch: expect.stringContaining('--- a.ts\n+++ a.ts\n@@ -1,4 +1,4 @@\n'),
  });
  expect(context.written).toContain(path);
});

test('a refused edit leaves the file alone and says all that is wrong', async () => {
  const context = testContext();
  const path = join(context.dir, 'a.ts');
  writeFileSync(path, 'one\ntwo\n');
  const { mtimeMs } = statSync(path);
  const result = await call(context, 'a.ts', [
    { oldText: 'one', newText: '1' },
    { oldText: 'twoo', newText: '2' },
  ]);
  expect(result.isError).toBe(true);
  expect(resultText(result)).toBe(
    'a.ts was not changed.\nedits[1]: oldText is not in the file. The nearest is line 2:\n2: two\nLine 2 differs: the file has "two", oldText has "twoo".',
  );
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(path).mtimeMs).toBe(mtimeMs);
  expect(context.written).toEqual([]);
});

test('what is no text file is refused: folders, devices, missing and too large files, UTF-16', async () => {
  const context = testContext();
  mkdirSync(join(context.dir, 'folder'));
  writeFileSync(join(context.dir, 'large'), 'x');
  truncateSync(join(context.dir, 'large'), 1_000_001);
  writeFileSync(join(context.dir, 'wide'), '\ufeffx', 'utf16le');
  for (const [path, why] of [
    ['folder', 'is a folder'],
    ['/dev/zero', 'a device'],
    ['larg', `is not there. Did you mean ${join(context.dir, 'large')}? A new file is made with write.`],
    ['large', 'edit takes files up to'],
    ['wide', 'UTF-16'],
  ] as const) {
    const result = await call(context, path, [{ oldText: 'x', newText: 'y' }]);
    expect(result.isError).toBe(true);
    expect(resultText(result)).toContain(why);
  }
});

test('fifty edits of one file at once, through two names, are all in it', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), Array.from({ length: 50 }, (_, at) => `<${at}>`).join('\n'));
  symlinkSync('a', join(context.dir, 'link'));
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      call(context, at % 2 === 0 ? 'a' : 'link', [{ oldText: `<${at}>`, newText: `done ${at}` }]),
    ),
  );
  expect(results.filter(({ isError }) => isError)).toEqual([]);
  expect(readFileSync(join(context.dir, 'a'), 'utf8')).toBe(
    Array.from({ length: 50 }, (_, at) => `done ${at}`).join('\n'),
  );
});

test('an aborted call changes nothing', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), 'one');
  await expect(call(context, 'a', [{ oldText: 'one', newText: 'two' }], AbortSignal.abort())).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(readFileSync(join(context.dir, 'a'), 'utf8')).toBe('one');
});

test('a diff longer than a result may be is cut, and that is said', async () => {
  const context = testContext();
  const long = (word: string): string => Array.from({ length: 1500 }, (_, at) => `${word} ${at}`).join('\n');
  writeFileSync(join(context.dir, 'a'), long('old'));
  const result = await call(context, 'a', [{ oldText: long('old'), newText: long('new') }]);
  expect(resultText(result)).toMatch(/\n\[Showing the first 2000 of 300\d lines of the diff\.\]$/);
  expect(result.details?.diff.split('\n').length).toBeGreaterThan(3000);
});

test.each([
  ['the names of other agents', { file_path: 'a', old_string: 'x', new_string: 'y' }],
  ['one edit beside the path', { path: 'a', oldText: 'x', newText: 'y' }],
  ['one edit instead of a list', { path: 'a', edits: { oldText: 'x', newText: 'y' } }],
  ['the list as JSON text', { path: 'a', edits: '[{"oldText":"x","newText":"y"}]' }],
  ['the list of edits as JSON text', { path: 'a', edits: ['{"old_text":"x","new_text":"y"}'] }],
])('%s is understood', (_what, given) => {
  expect(edit.prepareArguments?.(given)).toMatchObject({ path: 'a', edits: [{ oldText: 'x', newText: 'y' }] });
});

test('its effect is a write of the real path', () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), '');
  symlinkSync('a', join(context.dir, 'link'));
  expect(edit.effects?.({ path: 'link', edits: [] }, context.where)).toEqual([
    { kind: 'write', path: join(context.dir, 'a') },
  ]);
});
