import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { resultText, type ToolResult } from 'kern/contracts';
import { expect, test } from 'vitest';
import { type TestContext, testContext } from '../test/context.ts';
import { read } from './read.ts';
import type { ReadDetails } from './read-path.ts';

const call = (
  context: TestContext,
  path: string,
  more: { offset?: number; limit?: number } = {},
  signal = new AbortController().signal,
): Promise<ToolResult<ReadDetails>> => read.execute('c1', { path, ...more }, signal, () => undefined, context);
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`).join('\n');

test('a small file is shown as it is, without a notice', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), 'one\n\ttwo  \n\nfour\n');
  const result = await call(context, 'a.txt');
  expect(result.isError).toBeUndefined();
  expect(resultText(result)).toBe('one\n\ttwo  \n\nfour');
  expect(result.details).toEqual({
    path: join(context.dir, 'a.txt'),
    kind: 'text',
    size: 17,
    lines: [1, 4],
    totalLines: 4,
    truncated: false,
  });
});

test('a page says where it ends and how to go on; the last one does not', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), `${numbered(1, 10)}\n`);
  expect(resultText(await call(context, 'a.txt', { limit: 4 }))).toBe(
    `${numbered(1, 4)}\n\n[Showing lines 1-4 of 10. Use offset=5 to continue.]`,
  );
  expect(resultText(await call(context, 'a.txt', { offset: 5, limit: 4 }))).toBe(
    `${numbered(5, 8)}\n\n[Showing lines 5-8 of 10. Use offset=9 to continue.]`,
  );
  expect(resultText(await call(context, 'a.txt', { offset: 9, limit: 4 }))).toBe(numbered(9, 10));
  expect(resultText(await call(context, 'a.txt', { offset: 10, limit: 1 }))).toBe('line 10');
});

test('2000 lines are the most, the rest is continued', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), numbered(1, 5000));
  const text = resultText(await call(context, 'a.txt', { limit: 99_999 }));
  expect(text).toBe(`${numbered(1, 2000)}\n\n[Showing lines 1-2000 of 5000. Use offset=2001 to continue.]`);
});

test('50 KB are the most, of whole lines', async () => {
  const context = testContext();
  const line = 'x'.repeat(1023);
  writeFileSync(join(context.dir, 'a.txt'), `${line}\n`.repeat(80));
  const result = await call(context, 'a.txt');
  expect(resultText(result)).toBe(
    `${Array(50).fill(line).join('\n')}\n\n[Showing lines 1-50 of 80 (50 KB limit). Use offset=51 to continue.]`,
  );
});

test('one line over the limit is cut at a whole character, and its end can be had', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a b.txt'), `first\n${'€'.repeat(40_000)}\nlast\n`);
  const text = resultText(await call(context, 'a b.txt', { offset: 2 }));
  expect(text.startsWith(`${'€'.repeat(17_066)}\n\n[Line 2 is 117.2 KB; its first 50.0 KB are shown.`)).toBe(true);
  expect(text).toContain(`sed -n '2p' 'a b.txt' | tail -c +51199`);
  expect(text).toContain('Use offset=3 for what follows.');
  expect(resultText(await call(context, 'a b.txt'))).toContain(
    '[Showing lines 1-1 of 3 (50 KB limit). Use offset=2 to continue.]',
  );
});

test('a line of bytes that are no UTF-8 is shown cut, not refused', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'latin1'), Buffer.alloc(40_000, 0xe4));
  expect(resultText(await call(context, 'latin1'))).toContain('[Line 1 is 39.1 KB; its first 50.0 KB are shown.');
});

test('CRLF is shown as lines, a BOM is not shown, a lone CR stays', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), '\ufeffone\r\ntwo\rhalf\r\n');
  expect(resultText(await call(context, 'a.txt'))).toBe('one\ntwo\rhalf');
});

test('an offset past the end is told the number of lines', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), 'one\ntwo\n');
  const result = await call(context, 'a.txt', { offset: 3 });
  expect(result.isError).toBe(true);
  expect(resultText(result)).toBe('a.txt has 2 lines: there is no line 3.');
});

test('an empty file is said to be empty', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), '');
  expect(resultText(await call(context, 'a.txt'))).toBe('(empty file)');
});

test('a missing file is an error that names what is near', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'README.md'), '');
  const result = await call(context, 'readme.md');
  expect(result.isError).toBe(true);
  expect(resultText(result)).toBe(`readme.md is not there. Did you mean ${join(context.dir, 'README.md')}?`);
  expect(resultText(await call(context, 'README.md/x'))).toContain('README.md/x is not there.');
});

test('pipes, devices, circles and paths that are none are refused at once', async () => {
  const context = testContext();
  execFileSync('mkfifo', [join(context.dir, 'fifo')]);
  symlinkSync('circle', join(context.dir, 'circle'));
  for (const [path, why] of [
    ['fifo', 'is a pipe (FIFO)'],
    ['/dev/zero', 'is a device'],
    ['circle', 'go in a circle'],
    ['a\0b', 'has a NUL'],
  ] as const) {
    const result = await call(context, path);
    expect(result.isError).toBe(true);
    expect(resultText(result)).toContain(why);
  }
});

test('what is not text is named with its size, by content', async () => {
  const context = testContext();
  const files = {
    'a.txt': Buffer.from([1, 0, 2, 0]),
    'b.txt': Buffer.from('%PDF-1.7\nabc'),
    'c.txt': Buffer.from([0x50, 0x4b, 3, 4, 9]),
    'd.txt': Buffer.from('\ufeffhi', 'utf16le'),
  };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(context.dir, name), bytes);
  const said = await Promise.all(Object.keys(files).map(async (name) => resultText(await call(context, name))));
  expect(said[0]).toBe(
    'a.txt is not text but binary data, 4 bytes. Use a program for it through bash, or `xxd` for its bytes.',
  );
  expect(said[1]).toContain('a PDF document');
  expect(said[2]).toContain('a zip archive');
  expect(said[3]).toContain('UTF-16');
});

test('text with a few control characters is text', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'log'), '\u001b[31mred\u001b[0m text that is long enough \u0001 here\n');
  expect((await call(context, 'log')).isError).toBeUndefined();
});

test.each([
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1]],
  ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0, 0]],
  ['image/gif', [...Buffer.from('GIF89a'), 0]],
  ['image/webp', [...Buffer.from('RIFF'), 1, 2, 3, 4, ...Buffer.from('WEBP')]],
])('%s is handed on as an image, whatever its name', async (mimeType, bytes) => {
  const context = testContext();
  writeFileSync(join(context.dir, 'picture.txt'), Buffer.from(bytes));
  const result = await call(context, 'picture.txt');
  expect(result.content[1]).toEqual({ type: 'image', mimeType, data: Buffer.from(bytes).toString('base64') });
});

test('an image that no model takes is refused with its size', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'big.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
  truncateSync(join(context.dir, 'big.png'), 6 * 1024 * 1024);
  const result = await call(context, 'big.png');
  expect(result.isError).toBe(true);
  expect(resultText(result)).toContain('6.0 MB; models take up to 3.5 MB');
});

test('a folder is a list, folders with a slash, in pages', async () => {
  const context = testContext();
  mkdirSync(join(context.dir, 'src'));
  for (const name of ['b.txt', 'A.txt', '.hidden']) writeFileSync(join(context.dir, name), '');
  symlinkSync('b.txt', join(context.dir, 'link'));
  expect(resultText(await call(context, '.'))).toBe('.hidden\nA.txt\nb.txt\nlink@\nsrc/');
  expect(resultText(await call(context, '.', { offset: 2, limit: 2 }))).toBe(
    'A.txt\nb.txt\n\n[Showing entries 2-3 of 5. Use offset=4 to continue.]',
  );
  expect(resultText(await call(context, 'src'))).toBe('(empty folder)');
  expect((await call(context, '.', { offset: 6 })).isError).toBe(true);
});

test('a large file is read with little memory, its first page without the rest', async () => {
  const context = testContext();
  const path = join(context.dir, 'large');
  const file = openSync(path, 'w');
  const block = Buffer.from(`${'y'.repeat(99)}\n`.repeat(10_000));
  for (let round = 0; round < 200; round += 1) writeSync(file, block);
  closeSync(file);
  appendFileSync(path, 'the end\n');
  await call(context, path, { limit: 1 });
  const before = process.memoryUsage().rss;
  const first = await call(context, path);
  expect(resultText(first)).toContain('[Showing lines 1-512 of 190.7 MB (50 KB limit). Use offset=513 to continue.]');
  expect(resultText(await call(context, path, { offset: 2_000_001 }))).toBe('the end');
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
});

test('a single line of 200 MB does not come into memory', async () => {
  const context = testContext();
  const path = join(context.dir, 'line');
  const file = openSync(path, 'w');
  for (let round = 0; round < 200; round += 1) writeSync(file, Buffer.alloc(1_000_000, 0x7a));
  closeSync(file);
  const before = process.memoryUsage().rss;
  expect(resultText(await call(context, path))).toMatch(
    /\[Line 1 is 6\d\.\d MB or more; its first 50\.0 KB are shown\./,
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
});

test('an abort ends a long read', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), 'x');
  await expect(call(context, 'a.txt', {}, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
});

test('its effect is a read of the real path; file_path is understood', () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), '');
  symlinkSync('a.txt', join(context.dir, 'link'));
  expect(read.effects?.({ path: 'link' }, context.where)).toEqual([{ kind: 'read', path: join(context.dir, 'a.txt') }]);
  expect(read.prepareArguments?.({ file_path: 'x', limit: 2 })).toMatchObject({ path: 'x', limit: 2 });
});
