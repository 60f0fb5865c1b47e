import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultText } from 'kern/contracts';
import { expect, test } from 'vitest';
import { type TestContext, testContext } from '../test/context.ts';
import type { Edit } from './apply.ts';
import { testTool } from './test/tool.ts';

const { tool: edit, call: callWith } = testTool();
const call = (context: TestContext, path: string, edits: readonly Edit[], signal?: AbortSignal) =>
  callWith(context, { path, edits }, signal);

test('a file is changed and nothing else of it, and the answer is the diff', async () => {
  const context = testContext();
  const path = join(context.dir, 'a.ts');
  writeFileSync(path, '\ufeffone  \r\ntwo\r\nthree\nfour');
  chmodSync(path, 0o640);
  const result = await call(context, 'a.ts', [{ oldText: 'two\nthree', newText: 'zwei\nthree' }]);
  expect(readFileSync(path, 'utf8')).toBe('\ufeffone  \r\nzwei\r\nthree\nfour');
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(resultText(result)).toBe(
    'Edited a.ts:\n@@ -1,4 +1,4 @@\n one  \n-two\n+zwei\n three\n four\n\\ No newline at end of file',
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
    'a.ts was not changed.\nedits[1]: oldText is not in the file. The nearest is line 2 (- the file, + oldText):\n-2: "two"\n+  "twoo"',
  );
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(path).mtimeMs).toBe(mtimeMs);
  expect(context.written).toEqual([]);
});

test('what is no text file is refused: folders, devices, missing and too large files', async () => {
  const context = testContext();
  mkdirSync(join(context.dir, 'folder'));
  writeFileSync(join(context.dir, 'large'), 'x');
  truncateSync(join(context.dir, 'large'), 1_000_001);
  for (const [path, why] of [
    ['folder', 'is a folder'],
    ['/dev/zero', 'a device'],
    ['larg', `is not there. Did you mean ${join(context.dir, 'large')}? A new file is made with write.`],
    ['large', 'edit takes files up to'],
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
  ['a patch', { path: 'a', diff: '@@\n-x\n+y' }],
  ['the envelope of another agent', { input: '*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch' }],
])('%s is understood', async (_what, given) => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), 'x');
  expect((await callWith(context, given)).isError).toBeUndefined();
  expect(readFileSync(join(context.dir, 'a'), 'utf8')).toBe('y');
});

test('replace_all, as another agent calls it, is understood', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), 'x x');
  await callWith(context, { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: true });
  expect(readFileSync(join(context.dir, 'a'), 'utf8')).toBe('y y');
});

test('the same edit that fails a second time is told to be hopeless, until something else was changed', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), 'one\ntwo\n');
  const fail = async () => resultText(await call(context, 'a', [{ oldText: 'three', newText: 'x' }]));
  expect(await fail()).not.toContain('has failed');
  expect(await fail()).toContain('This very edit has failed 2 times: sent again it will fail again.');
  expect(await fail()).toContain('has failed 3 times');
  await call(context, 'a', [{ oldText: 'one', newText: '1' }]);
  expect(await fail()).not.toContain('has failed');
});

test('its effect is a write of the real path', () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), '');
  symlinkSync('a', join(context.dir, 'link'));
  expect(edit.effects?.({ path: 'link', edits: [{ oldText: 'a', newText: 'b' }] }, context.where)).toEqual([
    { kind: 'write', path: join(context.dir, 'a') },
  ]);
});

test('a file that is found by another spelling of its name is judged, named and told by its own', async () => {
  const context = testContext();
  for (const [name, given] of [
    ['cafe\u0301.txt', 'caf\u00e9.txt'],
    ['it\u2019s.txt', "it's.txt"],
  ] as const) {
    const path = join(context.dir, name);
    writeFileSync(path, 'one\n');
    const args = { path: given, edits: [{ oldText: 'one', newText: 'two' }] };
    expect(edit.effects?.(args, context.where)).toEqual([{ kind: 'write', path }]);
    const result = await callWith(context, args);
    expect(resultText(result)).toContain(`Edited ${path} (given as ${given}):`);
    expect(result.details).toMatchObject({ path, patch: expect.stringContaining(`+++ ${path}\n`) });
    expect(readFileSync(path, 'utf8')).toBe('two\n');
    expect(context.written).toContain(path);
  }
});

test('the details name the real path, and of line ends that were asked for in vain it is told', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a'), 'one\n');
  symlinkSync('a', join(context.dir, 'link'));
  const result = await call(context, 'link', [{ oldText: 'one', newText: '1\r\n2' }]);
  expect(resultText(result)).toContain('Edited link (line ends as the file has them):');
  expect(result.details?.path).toBe(join(context.dir, 'a'));
  expect(readFileSync(join(context.dir, 'a'), 'utf8')).toBe('1\n2\n');
});
