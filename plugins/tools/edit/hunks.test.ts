import { diffArrays } from 'diff';
import { expect, test } from 'vitest';
import { applyHunks, parseHunks } from './hunks.ts';
import { spliced } from './lines.ts';

/** The file after the hunks, or what was wrong with them. */
function apply(file: string, diff: string): string | readonly string[] {
  const hunks = parseHunks(diff.split('\n'));
  if (typeof hunks === 'string') return [hunks];
  const applied = applyHunks(file, hunks, diffArrays);
  return applied.ok ? spliced(file, applied.splices) : applied.problems;
}

const code = 'class A {\n  run() {\n    go();\n  }\n}\nclass B {\n  run() {\n    go();\n  }\n}\n';

test('lines that stay find the place, and keep every byte', () => {
  expect(apply('a  \r\nb\nc\n', '@@\n a\n-b\n+B\n c')).toBe('a  \r\nB\nc\n');
  expect(apply('“a”\n\tb\n', '@@\n "a"\n-\tb\n+\tc')).toBe('“a”\n\tc\n');
});

test('several hunks are looked up in the file as it was', () => {
  expect(apply('a\nb\nc\nd\n', '@@\n-a\n+b\n@@\n-d\n+a')).toBe('b\nb\nc\na\n');
});

test('lines that are there twice need a line above them, one number, or an order', () => {
  const hunk = '-    go();\n+    stop();';
  expect(apply(code, `@@\n${hunk}`)).toEqual([expect.stringContaining('2 times (lines 3, 8)')]);
  expect(apply(code, `@@ class B {\n${hunk}`)).toBe(code.replace(/go(?!.*go)/s, 'stop'));
  expect(apply(code, `@@ -8,1 +8,1 @@\n${hunk}`)).toBe(code.replace(/go(?!.*go)/s, 'stop'));
  expect(apply(code, `@@ -3 +3 @@ class A\n${hunk}`)).toBe(code.replace('go', 'stop'));
  expect(apply(code, `@@\n class B {\n+  x;\n   run() {\n@@\n${hunk}`)).toContain(
    'class B {\n  x;\n  run() {\n    stop();',
  );
});

test('an anchor has to be there, once, or below another', () => {
  expect(apply(code, '@@ class C {\n-    go();\n+x')).toEqual(['The hunk: no line "class C {" is in the file.']);
  expect(apply(code, '@@ run() {\n-    go();\n+x')).toEqual([expect.stringContaining('2 times (lines 2, 7)')]);
  expect(apply(code, '@@ class B {\n@@ run() {\n-    go();\n+    x();')).toBe(code.replace(/go(?!.*go)/s, 'x'));
  expect(apply(code, '@@ class B {\n-class A {\n+x')).toEqual([
    expect.stringContaining('its lines are in the file (lines 1), but not below "class B {"'),
  ]);
});

test.each([
  ['below an anchor', 'a\nb\n', '@@ a\n+x', 'a\nx\nb\n'],
  ['at the end, without anything', 'a\nb\n', '@@\n+x', 'a\nb\nx\n'],
  ['at the end of a file that has no line end there', 'a\r\nb', '@@\n+x', 'a\r\nb\r\nx'],
  ['behind a line by its number', 'a\nb\n', '@@ -1,0 +2 @@\n+x', 'a\nx\nb\n'],
  ['into an empty file', '', '@@\n+x\n+y', 'x\ny\n'],
  ['before the first line', 'a\n', '@@\n+x\n a', 'x\na\n'],
])('lines come %s', (_what, file, diff, expected) => {
  expect(apply(file, diff)).toBe(expected);
});

test.each([
  ['a missing final line end stays missing', 'a\nb', '@@\n-b\n+c', 'a\nc'],
  ['it stays where the last line goes', 'a\nb', '@@\n a\n-b', 'a\n'],
  ['it comes where that is asked for', 'a\nb', '@@\n-b\n\\ No newline at end of file\n+b', 'a\nb\n'],
  ['it goes where that is asked for', 'a\nb\n', '@@\n-b\n+b\n\\ No newline at end of file', 'a\nb'],
  ['lines that stay are not asked', 'a\nb\n', '@@\n-a\n+c\n b\n\\ No newline at end of file', 'c\nb\n'],
  ['at the end of the file only', 'x\nx\n', '@@\n-x\n+y\n*** End of File', 'x\ny\n'],
  ['an empty line whose space got lost', 'a\n\nb\n', '@@\n a\n\n-b\n+c', 'a\n\nc\n'],
  ['empty lines between hunks', 'a\nb\n', '@@\n-a\n+x\n\n@@\n-b\n+y\n', 'x\ny\n'],
  ['a hunk without @@', 'a\n', '-a\n+b', 'b\n'],
  [
    'indentation one unit off',
    '\tif (a) {\n\t\tb();\n\t}\n',
    '@@\n if (a) {\n-\tb();\n+\tc();\n }',
    '\tif (a) {\n\t\tc();\n\t}\n',
  ],
])('ends and odds: %s', (_what, file, diff, expected) => {
  expect(apply(file, diff)).toBe(expected);
});

test('what is no hunk, or changes nothing, is told', () => {
  expect(apply('a\n', '@@\n-a\n+b\nc')).toEqual([expect.stringContaining('line 4 of the patch is "c"')]);
  expect(apply('a\n', '@@\n a')).toEqual([expect.stringContaining('it changes nothing')]);
  expect(apply('a\nb\n', '@@\n-b\n+c\n@@\n-b\n+d')).toEqual([expect.stringContaining('Hunk 1 and Hunk 2 overlap')]);
  expect(apply('one\ntwo words\n', '@@\n one\n-two wrds\n+x')).toEqual([
    expect.stringContaining('- the file, + the hunk):\n 1: one\n-2: "two words"\n+  "two wrds"'),
  ]);
});
