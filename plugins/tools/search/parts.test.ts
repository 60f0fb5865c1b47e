import { expect, test } from 'vitest';
import { cutLine } from './cut-line.ts';
import { depthOf, folderOf, globBelow, globTest, globTestAbove, whyNoGlob } from './globs.ts';
import { createList, unreadableNotice, withNotices } from './list.ts';
import { shownPaths } from './place.ts';
import { respelled } from './spelling.ts';
import { planted } from './test/tree.ts';

test.each([
  ['*.ts', 'a.ts', true],
  ['*.ts', 'src/a.ts', true],
  ['*.ts', 'src/.a.ts', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'lib/src/a.ts', false],
  ['/src/*.ts', 'src/a.ts', true],
  ['./src/*.ts', 'src/a.ts', true],
  ['/a.ts', 'a.ts', true],
  ['/a.ts', 'src/a.ts', false],
  ['**/a.ts', 'a.ts', true],
  ['**/a.ts', 'x/y/a.ts', true],
  ['src/**', 'src/x/y', true],
  ['src/**/*.{ts,js}', 'src/a.js', true],
  ['src/**/*.{ts,js}', 'src/x/y/a.ts', true],
  ['{src,lib}/*.ts', 'lib/a.ts', true],
  ['[ab].ts', 'b.ts', true],
  ['[!ab].ts', 'b.ts', false],
  ['a?.ts', 'ab.ts', true],
  ['*', 'x/y', true],
  ['a/**', 'a', false],
  ['**', 'a/b', true],
  ['**/x/**/y', 'x/y', true],
  ['**/x/**/y', 'a/x/b/x/c/y', true],
  ['**/x/*b*c/**/y', 'x/b/x/abcc/d/y', true],
  ['a**b', 'axb', true],
  ['a/./b//c', 'a/b/c', true],
  ['*a*bc', 'xabxbc', true],
  ['*.{ts}', 'a.ts', true],
  ['{a,{b,c}d}', 'cd', true],
  ['{,x}a', 'a', true],
  ['{1..3}.txt', '2.txt', true],
  ['{08..11}.txt', '09.txt', true],
  ['{a..c}', 'd', false],
  ['{a\\,b,c}', 'a,b', true],
  ['app/(auth)/*.ts', 'app/(auth)/a.ts', true],
  ['a?b', 'a\u{1F600}b', true],
  ['[\u{1F600}é]', 'é', true],
  ['[]a-]', ']', true],
  ['[!]a]', ']', false],
  ['[[:digit:]]', '7', true],
  ['a[!x]b', 'a/b', false],
  ['\\[a\\]', '[a]', true],
  ['"a"', 'a', false],
  ['a+b.c$', 'a+b.c$', true],
  ['a\nb*', 'a\nbc', true],
  ['*.TS', 'a.ts', false],
])('the glob %s and %s: %s', (glob, path, fits) => {
  expect(whyNoGlob(glob)).toBeUndefined();
  expect(globTest(glob)(path)).toBe(fits);
});

test('a glob may not care for case, and may be about what is below a folder', () => {
  expect(globTest('*.TS', { ignoreCase: true })('a.ts')).toBe(true);
  expect(globTestAbove('gen')('src/gen/x/a.ts')).toBe(true);
  expect(globTestAbove('/gen')('src/gen/a.ts')).toBe(false);
});

test('where a glob can fit at all is known', () => {
  expect(['src/a/*.ts', 'src/**', '*.ts', 'src/{a,b}/*.ts', 'a/b', '/x/y*'].map(folderOf)).toEqual([
    'src/a',
    'src',
    '',
    'src',
    'a',
    'x',
  ]);
  expect(['src/a/*.ts', 'src/**', '*.ts', '{a,b/c}/*.ts', 'a/b/'].map(depthOf)).toEqual([
    3,
    undefined,
    undefined,
    undefined,
    2,
  ]);
});

test.each([
  ['', 'a glob is empty'],
  ['a\0', 'the glob "a\\u0000" has a NUL in it'],
  ['../x', 'leads out of the searched folder'],
  ['src/[a.ts', 'in the glob this [ is not closed by ]:\n  src/[a.ts\n      ^\nWrite \\[ for the sign itself'],
  ['x[a/b].ts', 'this [ is not closed by ]'],
  ['x[z-a]', 'the range z-a is the wrong way round:\n  x[z-a]\n    ^\nWrite a-z'],
  ['[[:foo:]]', 'there is no class [:foo:]'],
  ['*.{ts,tsx', 'this { is not closed by }:\n  *.{ts,tsx\n    ^'],
  ['a}', 'this } closes nothing:\n  a}\n   ^\nWrite \\} for the sign itself'],
  ['a{}', 'there is nothing in these braces'],
  ['{1..9999}', 'this is more than 500 globs'],
  ['{1..99}{1..99}', 'this is more than 500 globs'],
  ['*.@(ts|js)', '@(…) is not known here:\n  *.@(ts|js)\n    ^\nWrite {a,b} for alternatives'],
  ['a+(b).ts', '+(…) is not known here'],
  ['*.ts|*.js', 'no glob has a |:\n  *.ts|*.js\n      ^\nWrite {a,b} for alternatives'],
  ['!*.ts', 'a ! in front means nothing here'],
  ['a\\', 'nothing follows this \\'],
  ['x'.repeat(2_000), 'is longer than 1000 characters'],
])('%j is no glob: %s', (glob, why) => {
  expect(whyNoGlob(glob)).toContain(why);
});

test('no glob takes for ever', () => {
  const fits = [`${'*a'.repeat(100)}b`, `${'**/a*/'.repeat(100)}b`, `{a,aa,aaa}${'*{a,aa}'.repeat(7)}b`].map((glob) =>
    globTest(glob),
  );
  const paths = ['a'.repeat(4_000), 'a/'.repeat(2_000)];
  expect(fits.map((one) => paths.some(one))).toEqual([false, false, false]);
});

test('a glob is about what is below the searched folder', () => {
  const folder = planted({ 'app/[id]/page.ts': '', 'etc/x': '', '~u/a': '' });
  expect(globBelow(`${folder}/src/*.ts`, '/elsewhere', folder)).toEqual({ glob: '/src/*.ts' });
  expect(globBelow('app/[id]/*.[jt]s', folder)).toEqual({ glob: 'app/\\[id\\]/*.[jt]s' });
  expect(globBelow('/etc/*', folder)).toEqual({ glob: '/etc/*' });
  expect(globBelow('/src/*', folder)).toEqual({ glob: '/src/*' });
  expect(globBelow('~u/*', folder)).toEqual({ glob: '~u/*' });
  expect(globBelow('/usr/*', '/')).toEqual({ glob: '/usr/*' });
  for (const glob of ['~', '~/*.md', '/usr/*'])
    expect(globBelow(glob, folder)).toEqual({
      refused: `the glob ${glob} is about another folder: give that folder as the path, and a glob below it`,
    });
});

test('a line is cut at the end of a character as a person sees it', () => {
  expect(cutLine('abc', 3)).toEqual({ text: 'abc', isCut: false });
  expect(cutLine('abcd', 3)).toEqual({ text: 'abc', isCut: true });
  expect(cutLine('e\u0301e\u0301e\u0301', 2)).toEqual({ text: 'e\u0301e\u0301', isCut: true });
  expect(cutLine('\u{1F468}\u200D\u{1F469}x', 2)).toEqual({ text: '\u{1F468}\u200D\u{1F469}x', isCut: false });
  expect(cutLine('\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7}', 1).text).toBe('\u{1F1E9}\u{1F1EA}');
  const zalgo = cutLine(`a${'\u0301'.repeat(10_000)}`, 500);
  expect(zalgo.isCut).toBe(true);
  expect(Buffer.byteLength(zalgo.text)).toBeLessThanOrEqual(4_000);
});

test('a list is full at its limit or at its size, and never in the middle of a line', () => {
  const list = createList(2);
  expect([list.add('a'), list.add('b'), list.add('c'), list.fullBy, list.text()]).toEqual([
    true,
    true,
    false,
    'limit',
    'a\nb',
  ]);
  const small = createList(10, { bytes: 10 });
  expect([small.add('12345'), small.add('123456'), small.fullBy, small.text()]).toEqual([
    true,
    false,
    'bytes',
    '12345',
  ]);
  const one = createList(10, { bytes: 3 });
  expect([one.add('a long line'), one.length]).toEqual([true, 1]);
});

test('notices stand in brackets below', () => {
  expect(withNotices('text', [undefined])).toBe('text');
  expect(withNotices('text', ['one.', undefined, unreadableNotice(2)])).toBe(
    'text\n\n[one.]\n[2 paths could not be read.]',
  );
});

test('paths are shown from the working directory on where they are in there', () => {
  expect(shownPaths('/w', '/w')('a/b')).toBe('a/b');
  expect(shownPaths('/w/src', '/w')('a')).toBe('src/a');
  expect(shownPaths('/w/..x', '/w')('a')).toBe('..x/a');
  expect(shownPaths('/other', '/w')('a')).toBe('/other/a');
  expect(shownPaths('/w', '/w')('a\nb\r\x1b[31m')).toBe('a\\nb\\r\\x1b[31m');
});

test('arguments under other names are given their own, and none is lost to an empty one', () => {
  const names = { path: ['file_path', 'dir'], limit: ['max'] };
  expect(respelled({ file_path: 'a', max: 3, other: 1 }, names)).toEqual({ path: 'a', limit: 3, other: 1 });
  expect(respelled({ path: 'a', dir: 'b' }, names)).toEqual({ path: 'a' });
  expect(respelled({ path: null, dir: 'b' }, names)).toEqual({ path: 'b' });
  expect(respelled('text', names)).toBe('text');
  expect(respelled([1], names)).toEqual([1]);
});
