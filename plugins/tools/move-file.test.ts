import { existsSync, mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFileStore } from './file-store.ts';
import { testFolder } from './test/context.ts';

const files = createFileStore();

test('a file gets another name with all that it is; folders are made', async () => {
  const dir = testFolder();
  const [from, to] = [join(dir, 'a'), join(dir, 'b/c/d')];
  writeFileSync(from, 'text', { mode: 0o751 });
  const before = statSync(from);
  await files.move(from, to);
  expect(existsSync(from)).toBe(false);
  expect(readFileSync(to, 'utf8')).toBe('text');
  expect(statSync(to)).toMatchObject({ ino: before.ino, mode: before.mode });
});

test('what is there already is not replaced, be it a link that leads nowhere', async () => {
  const dir = testFolder();
  writeFileSync(join(dir, 'a'), 'a');
  symlinkSync('nowhere', join(dir, 'link'));
  mkdirSync(join(dir, 'folder'));
  for (const name of ['link', 'folder'])
    await expect(files.move(join(dir, 'a'), join(dir, name))).rejects.toMatchObject({ code: 'file_exists' });
  await expect(files.move(join(dir, 'none'), join(dir, 'x'))).rejects.toMatchObject({ code: 'file_not_moved' });
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('a');
  expect(readlinkSync(join(dir, 'link'))).toBe('nowhere');
});

test('a file is deleted; of a link only the link; a folder is not', async () => {
  const dir = testFolder();
  writeFileSync(join(dir, 'a'), 'a');
  symlinkSync('a', join(dir, 'link'));
  await files.remove(join(dir, 'link'));
  expect(existsSync(join(dir, 'a'))).toBe(true);
  await files.remove(join(dir, 'a'));
  expect(existsSync(join(dir, 'a'))).toBe(false);
  await expect(files.remove(dir)).rejects.toMatchObject({ code: 'file_not_removed' });
});

test('a move that fails leaves no folder that was made for it', async () => {
  const dir = testFolder();
  await expect(files.move(join(dir, 'none'), join(dir, 'made/for/nothing'))).rejects.toMatchObject({
    code: 'file_not_moved',
  });
  expect(existsSync(join(dir, 'made'))).toBe(false);
});
