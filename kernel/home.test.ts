import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ensureHome, kernHome, projectRoot, readPrivate, writePrivate } from './home.ts';
import { failure, folderWith, put } from './trust/test/folder.ts';

const isRoot = process.getuid?.() === 0;
const modeOf = (file: string): number => statSync(file).mode & 0o777;

/** A folder and a file of someone else: made by root, or found where we are not root. */
function foreign(): { folder: string; file: string } {
  if (!isRoot) return { folder: '/usr', file: '/etc/passwd' };
  const folder = folderWith({ 'of/file': 'text' });
  for (const name of ['of', 'of/file']) chownSync(path.join(folder, name), 12345, 12345);
  return { folder: path.join(folder, 'of'), file: path.join(folder, 'of/file') };
}

test('the home is KERN_HOME, else .kern in the home folder', () => {
  expect(kernHome({ KERN_HOME: '/somewhere/kern' })).toBe('/somewhere/kern');
  expect(kernHome({ KERN_HOME: '' })).toBe(path.join(homedir(), '.kern'));
  expect(kernHome({})).toBe(path.join(homedir(), '.kern'));
});

test('a home is made private, with the folders above it', async () => {
  const home = path.join(folderWith(), 'a/b/kern');
  await ensureHome(home);
  expect(modeOf(home)).toBe(0o700);
});

test('a home that others may enter is made private again', async () => {
  const home = folderWith();
  for (const mode of [0o755, 0o777, 0o500]) {
    chmodSync(home, mode);
    await ensureHome(home);
    expect(modeOf(home)).toBe(0o700);
  }
});

test('a home of someone else is refused', async () => {
  expect(await failure(() => ensureHome(foreign().folder))).toMatchObject({
    code: 'home_not_yours',
    hint: expect.stringContaining('KERN_HOME'),
  });
});

test('a link to a home of someone else is refused too', async () => {
  const link = path.join(folderWith(), 'kern');
  symlinkSync(foreign().folder, link);
  expect(await failure(() => ensureHome(link))).toMatchObject({ code: 'home_not_yours' });
});

test('a link to a folder of our own is a home', async () => {
  const link = path.join(folderWith(), 'kern');
  const target = folderWith();
  chmodSync(target, 0o755);
  symlinkSync(target, link);
  await ensureHome(link);
  expect(modeOf(target)).toBe(0o700);
});

test('a file or a link to nowhere is no home', async () => {
  const folder = folderWith({ file: '' });
  symlinkSync(path.join(folder, 'nowhere'), path.join(folder, 'dangling'));
  for (const name of ['file', 'dangling'])
    expect(await failure(() => ensureHome(path.join(folder, name)))).toMatchObject({ code: 'home_unusable' });
});

test('a private file is for its owner alone, also when it was open before', async () => {
  const folder = folderWith({ 'old.json': 'old' });
  chmodSync(path.join(folder, 'old.json'), 0o644);
  for (const name of ['old.json', 'new.json']) {
    await writePrivate(path.join(folder, name), 'new');
    expect(modeOf(path.join(folder, name))).toBe(0o600);
    expect(await readPrivate(path.join(folder, name))).toBe('new');
  }
  expect(readdirSync(folder).toSorted()).toEqual(['new.json', 'old.json']);
});

test('a private file that is not there reads as nothing', async () => {
  expect(await readPrivate(path.join(folderWith(), 'absent'))).toBeUndefined();
});

test('a planted link is neither read nor written through', async () => {
  const folder = folderWith({ 'target.json': 'theirs' });
  const link = path.join(folder, 'trust.json');
  symlinkSync(path.join(folder, 'target.json'), link);
  expect(await failure(() => writePrivate(link, 'mine'))).toMatchObject({ code: 'planted_file' });
  expect(await failure(() => readPrivate(link))).toMatchObject({ code: 'planted_file' });
  expect(readFileSync(path.join(folder, 'target.json'), 'utf8')).toBe('theirs');
});

test('a file of someone else is neither read nor replaced', async () => {
  const { file } = foreign();
  expect(await failure(() => readPrivate(file))).toMatchObject({ code: 'planted_file' });
  expect(await failure(() => writePrivate(file, 'mine'))).toMatchObject({ code: 'planted_file' });
});

test('a file that others may write is not read', async () => {
  const folder = folderWith({ a: 'text' });
  for (const mode of [0o620, 0o602, 0o666]) {
    chmodSync(path.join(folder, 'a'), mode);
    expect(await failure(() => readPrivate(path.join(folder, 'a')))).toMatchObject({
      code: 'planted_file',
      hint: expect.stringContaining('chmod 600'),
    });
  }
});

test('a pipe in place of a private file does not hang', async () => {
  const pipe = path.join(folderWith(), 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  expect(await failure(() => readPrivate(pipe))).toMatchObject({ code: 'planted_file' });
  expect(await failure(() => writePrivate(pipe, 'x'))).toMatchObject({ code: 'planted_file' });
});

test('a write that fails leaves the old file and no leftovers', async () => {
  const folder = folderWith({ 'a/inside': '' });
  await expect(writePrivate(path.join(folder, 'absent/file'), 'x')).rejects.toThrow();
  expect(await failure(() => writePrivate(path.join(folder, 'a'), 'x'))).toMatchObject({ code: 'planted_file' });
  expect(readdirSync(folder)).toEqual(['a']);
});

test.each([
  ['a .kern folder', '.kern/config.yml', ''],
  ['a .git folder', '.git/HEAD', ''],
  ['a .git file, as in a worktree', '.git', 'gitdir: elsewhere'],
  ['a .kernrc', '.kernrc', 'model: a/b'],
  ['a .kernrc.json', '.kernrc.json', '{}'],
  ['a kern key in package.json', 'package.json', '{ "kern": {} }'],
])('%s makes a project', (_, name, text) => {
  const home = folderWith();
  put(home, { [`work/${name}`]: text, 'work/deep/down/file': '' });
  expect(projectRoot(path.join(home, 'work/deep/down'), home, path.join(home, '.kern'))).toBe(path.join(home, 'work'));
});

test('a package.json without a kern key makes none, nor does a broken one', () => {
  const home = folderWith({
    'a/package.json': '{ "keywords": ["kern"] }',
    'b/package.json': '{ "kern": ',
    'c/package.json': '[]',
  });
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(path.join(home, name, 'deep'));
    expect(projectRoot(path.join(home, name, 'deep'), home)).toBe(path.join(home, name, 'deep'));
  }
});

test('the nearest marker wins', () => {
  const home = folderWith({ 'work/.git/HEAD': '', 'work/part/.kern/x': '', 'work/part/src/file': '' });
  expect(projectRoot(path.join(home, 'work/part/src'), home)).toBe(path.join(home, 'work/part'));
});

test('the home folder is no project of what lies in it, and nothing above it is', () => {
  const above = folderWith({
    '.git/HEAD': '',
    'home/.git/HEAD': '',
    'home/.kern/config.yml': '',
    'home/notes/file': '',
  });
  const home = path.join(above, 'home');
  expect(projectRoot(path.join(home, 'notes'), home)).toBe(path.join(home, 'notes'));
  expect(projectRoot(home, home)).toBe(home);
});

test("the folder that holds kern's home is no project because of it", () => {
  const folder = folderWith({ '.kern/config.yml': '', 'inner/file': '' });
  expect(projectRoot(path.join(folder, 'inner'), '/home/nobody', path.join(folder, '.kern'))).toBe(
    path.join(folder, 'inner'),
  );
  expect(projectRoot(path.join(folder, 'inner'), '/home/nobody', '/elsewhere')).toBe(folder);
});

test('a project is found by its real path', () => {
  const folder = folderWith({ 'real/.git/HEAD': '', 'real/src/file': '' });
  symlinkSync(path.join(folder, 'real/src'), path.join(folder, 'link'));
  expect(projectRoot(path.join(folder, 'link'), '/home/nobody')).toBe(realpathSync(path.join(folder, 'real')));
});

test('a folder that is gone is its own project', () => {
  const gone = path.join(folderWith(), 'gone');
  expect(projectRoot(gone, '/home/nobody')).toBe(gone);
});
