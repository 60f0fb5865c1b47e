import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noRules } from './ignored.ts';
import { planted } from './test/tree.ts';
import { byCodePoint, type WalkOptions, walk } from './walk.ts';

const signal = new AbortController().signal;

async function pathsIn(root: string, options: Partial<WalkOptions> = {}): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const entries of walk(root, { rules: noRules, signal, ...options }))
    found.push(...entries.map(({ path }) => path));
  return found;
}

test('everything comes in order, a folder before what is in it', async () => {
  const root = planted({
    'b/c': '',
    'b/a/x': '',
    'a.txt': '',
    'b-': '',
    é: '',
    'Z/': '',
    '\u{1F600}': '',
    '\uFF5E': '',
  });
  expect(await pathsIn(root)).toEqual(['Z', 'a.txt', 'b', 'b/a', 'b/a/x', 'b/c', 'b-', 'é', '\uFF5E', '\u{1F600}']);
});

test('the order is that of the bytes', () => {
  const names = ['a', 'ab', 'b', 'é', '\uE000', '\uFF5E', '\u{10000}', '\u{1F600}', 'A', ''];
  const byBytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect([...names].reverse().sort(byCodePoint)).toEqual(byBytes);
});

test('links are told and not followed, so that a loop is none', async () => {
  const root = planted({ 'a/up': { link: '..' }, 'a/b': '', self: { link: 'self' } });
  expect(await pathsIn(root)).toEqual(['a', 'a/b', 'a/up', 'self']);
});

test('depth is how many levels are shown', async () => {
  const root = planted({ 'a/b/c/d': '' });
  expect(await pathsIn(root, { depth: 1 })).toEqual(['a']);
  expect(await pathsIn(root, { depth: 3 })).toEqual(['a', 'a/b', 'a/b/c']);
});

test('closed folders are left out, or shown and not entered', async () => {
  const root = planted({ '.git/x': '', 'a/.git': '', b: '' });
  const closed = new Set(['.git']);
  expect(await pathsIn(root, { closed })).toEqual(['a', 'b']);
  expect(await pathsIn(root, { closed, ignored: 'show' })).toEqual(['.git', 'a', 'a/.git', 'b']);
});

test('a folder that goes while it is walked through is told, and the rest comes', async () => {
  const root = planted({ 'a/x': '', 'b/x': '', 'c/x': '' });
  const gone: string[] = [];
  const found: string[] = [];
  const rules = {
    in: () => rules,
    ignores: (path: string) => {
      // While the folder above is listed.
      if (path === join(root, 'b')) rmSync(path, { recursive: true, force: true });
      return false;
    },
  };
  for await (const entries of walk(root, { rules, signal, onUnreadable: (path) => gone.push(path) }))
    found.push(...entries.map(({ path }) => path));
  expect(found).toEqual(['a', 'a/x', 'b', 'c', 'c/x']);
  expect(gone).toEqual(['b']);
});

test('a root that is not there is an error', async () => {
  await expect(pathsIn('/nowhere/at/all')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('an abort ends it', async () => {
  const root = planted(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`d${at}/f`, ''])));
  const abort = new AbortController();
  const seen: string[] = [];
  const walked = (async () => {
    const ignores = (path: string): boolean => {
      if (seen.push(path) > 60) abort.abort();
      return false;
    };
    const rules = { in: () => rules, ignores };
    for await (const _ of walk(root, { rules, signal: abort.signal }));
  })();
  await expect(walked).rejects.toMatchObject({ name: 'AbortError' });
});
