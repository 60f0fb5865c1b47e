import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { resultText, type ToolResult } from 'kern/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { createFileStore } from '../file-store.ts';
import { type TestContext, testContext } from '../test/context.ts';
import { writeTool } from './write.ts';
import type { WriteDetails } from './write-file.ts';

const files = createFileStore();
const write = writeTool(() => files, 1000);
const call = (
  context: TestContext,
  path: string,
  content: string,
  signal = new AbortController().signal,
): Promise<ToolResult<WriteDetails>> => write.execute('c1', { path, content }, signal, () => undefined, context);

test('a new file and its folders are made, with the mode the umask gives', async () => {
  const context = testContext();
  const umask = process.umask(0o022);
  onTestFinished(() => void process.umask(umask));
  const result = await call(context, 'deep/er/a.txt', 'text\r\n€');
  const path = join(context.dir, 'deep/er/a.txt');
  expect(resultText(result)).toBe('Created deep/er/a.txt (9 bytes).');
  expect(result.details).toEqual({ path, state: 'created', bytes: 9, encoding: 'utf-8' });
  expect(readFileSync(path, 'utf8')).toBe('text\r\n€');
  expect(statSync(path).mode & 0o777).toBe(0o644);
  expect(context.written).toContain(path);
});

test('a file that is replaced keeps its mode, and nothing else is left beside it', async () => {
  const context = testContext();
  const path = join(context.dir, 'run.sh');
  writeFileSync(path, 'old');
  chmodSync(path, 0o751);
  expect(resultText(await call(context, 'run.sh', 'new'))).toBe('Replaced run.sh (3 bytes).');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o751);
  expect(readdirSync(context.dir)).toEqual(['run.sh']);
});

test('whoever reads the file while it is replaced sees the old or the new, never a part', async () => {
  const context = testContext();
  const path = join(context.dir, 'a.txt');
  writeFileSync(path, 'a'.repeat(900));
  const inode = statSync(path).ino;
  await call(context, 'a.txt', 'b'.repeat(900));
  expect(statSync(path).ino).not.toBe(inode);
});

test('a symlink stays a symlink, and its target is written, also one that is not there yet', async () => {
  const context = testContext();
  mkdirSync(join(context.dir, 'real'));
  writeFileSync(join(context.dir, 'real/a.txt'), 'old');
  symlinkSync('real/a.txt', join(context.dir, 'link'));
  symlinkSync('real/later.txt', join(context.dir, 'dangling'));
  const result = await call(context, 'link', 'new');
  await call(context, 'dangling', 'later');
  expect(readlinkSync(join(context.dir, 'link'))).toBe('real/a.txt');
  expect(readFileSync(join(context.dir, 'real/a.txt'), 'utf8')).toBe('new');
  expect(lstatSync(join(context.dir, 'dangling')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(context.dir, 'real/later.txt'), 'utf8')).toBe('later');
  expect(result.details?.path).toBe(join(context.dir, 'real/a.txt'));
});

test('the other names of a file keep seeing it', async () => {
  const context = testContext();
  writeFileSync(join(context.dir, 'a.txt'), 'a long old text');
  linkSync(join(context.dir, 'a.txt'), join(context.dir, 'b.txt'));
  await call(context, 'a.txt', 'new');
  expect(readFileSync(join(context.dir, 'b.txt'), 'utf8')).toBe('new');
});

test('what is no file is not replaced, and a part of the path that is a file is said', async () => {
  const context = testContext();
  mkdirSync(join(context.dir, 'folder'));
  writeFileSync(join(context.dir, 'file'), 'kept');
  for (const [path, why] of [
    ['folder', 'is a folder, not a file'],
    ['file/a.txt', 'a part of the path is a file'],
    ['/dev/null', 'is a device'],
    ['a\0b', 'has a NUL'],
    ['x'.repeat(300), 'the name is too long'],
  ] as const) {
    const result = await call(context, path, 'x');
    expect(result.isError).toBe(true);
    expect(resultText(result)).toContain(why);
  }
  expect(readFileSync(join(context.dir, 'file'), 'utf8')).toBe('kept');
});

test('more than the limit is refused before anything is touched', async () => {
  const context = testContext();
  const result = await call(context, 'deep/a.txt', 'x'.repeat(1001));
  expect(resultText(result)).toContain('The content has 1001 bytes; write takes up to 1000 bytes.');
  expect(existsSync(join(context.dir, 'deep'))).toBe(false);
});

test('half a character is never written', async () => {
  const context = testContext();
  expect(resultText(await call(context, 'a.txt', 'x\ud83d'))).toContain('a lone surrogate');
  expect(existsSync(join(context.dir, 'a.txt'))).toBe(false);
});

test('an aborted call writes nothing', async () => {
  const context = testContext();
  await expect(call(context, 'a.txt', 'x', AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  expect(existsSync(join(context.dir, 'a.txt'))).toBe(false);
});

test('its effect is a write of the real path; other spellings are understood', () => {
  const context = testContext();
  symlinkSync('real.txt', join(context.dir, 'link'));
  expect(write.effects?.({ path: 'link', content: '' }, context.where)).toEqual([
    { kind: 'write', path: join(context.dir, 'real.txt') },
  ]);
  expect(write.prepareArguments?.({ file_path: 'x', content: 'y' })).toMatchObject({ path: 'x', content: 'y' });
});
