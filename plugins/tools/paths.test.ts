import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exactPath, realPath, resolvePath, whatIsThere } from './paths.ts';

const folder = (): string => {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'kern-paths-')));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

test('relative paths start at the working directory, ~ is the home folder', () => {
  expect(resolvePath('a/../b.txt', '/w')).toBe('/w/b.txt');
  expect(resolvePath('/x//y', '/w')).toBe('/x/y');
  expect(resolvePath('~', '/w')).toBe(homedir());
  expect(resolvePath('~/a', '/w')).toBe(join(homedir(), 'a'));
  expect(resolvePath('~a', '/w')).toBe('/w/~a');
});

test('a leading @ is left out where that leads to something, and never from the name of what is to be made', () => {
  const dir = folder();
  mkdirSync(join(dir, 'src'));
  mkdirSync(join(dir, '@types'));
  expect(resolvePath('@src', dir)).toBe(join(dir, 'src'));
  expect(resolvePath('@types', dir)).toBe(join(dir, '@types'));
  expect(resolvePath('@/components/a.ts', dir)).toBe(join(dir, '@/components/a.ts'));
  expect(exactPath('@src', dir)).toBe(join(dir, '@src'));
  expect(exactPath('~/a', dir)).toBe(join(homedir(), 'a'));
});

test('the real path follows links, also those that lead to nothing yet, and keeps what is not there', () => {
  const dir = folder();
  mkdirSync(join(dir, 'real'));
  symlinkSync('real', join(dir, 'link'));
  symlinkSync(join(dir, 'real/later.txt'), join(dir, 'dangling'));
  symlinkSync('circle', join(dir, 'circle'));
  expect(realPath(join(dir, 'link/a/b.txt'))).toBe(join(dir, 'real/a/b.txt'));
  expect(realPath(join(dir, 'dangling'))).toBe(join(dir, 'real/later.txt'));
  expect(realPath(join(dir, 'circle'))).toBe(join(dir, 'circle'));
});

test('near names are told for what is not there, or the folder that is missing', () => {
  const dir = folder();
  mkdirSync(join(dir, 'source'));
  writeFileSync(join(dir, 'source/README.md'), '');
  writeFileSync(join(dir, 'source/other.ts'), '');
  expect(whatIsThere(join(dir, 'source/readme.md'))).toBe(`Did you mean ${join(dir, 'source/README.md')}?`);
  expect(whatIsThere(join(dir, 'source/zzz'))).toBe(`${join(dir, 'source')} has nothing of a similar name`);
  expect(whatIsThere(join(dir, 'sorce/deep/x.ts'))).toBe(
    `The folder ${join(dir, 'sorce')} is not there. Did you mean ${join(dir, 'source')}?`,
  );
  expect(whatIsThere('/kern-nowhere/x')).toBe('The folder /kern-nowhere is not there.');
});

test('of a link that leads to nothing it is told where it leads, not that it may have been meant itself', () => {
  const dir = folder();
  symlinkSync('../gone.txt', join(dir, 'link.txt'));
  symlinkSync('nowhere', join(dir, 'folder'));
  expect(whatIsThere(join(dir, 'link.txt'))).toBe('It is a symlink to ../gone.txt, and that is not there.');
  expect(whatIsThere(join(dir, 'folder/deep/a.txt'))).toBe(
    `${join(dir, 'folder')} is a symlink to nowhere, and that is not there.`,
  );
});
