import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diffArrays, structuredPatch } from 'diff';
import { expect, test } from 'vitest';
import { needs } from '../../cli/test/needs.ts';
import { testFolder } from '../test/context.ts';
import { applyEdits, type Edit } from './apply.ts';
import { spliced } from './lines.ts';
import { patchOf } from './patch.ts';

const made = (file: string, ...edits: readonly (readonly [string, string])[]) => {
  const source = file;
  const applied = applyEdits(
    source,
    edits.map(([oldText, newText]): Edit => ({ oldText, newText })),
    diffArrays,
  );
  if (!applied.ok) throw new Error(applied.problems.join('\n'));
  return { result: spliced(source, applied.splices), ...patchOf('a.txt', source, applied.splices, structuredPatch) };
};
const numbered = Array.from({ length: 100 }, (_, at) => `line ${at + 1}\n`).join('');

test('a change is shown with three lines around it and its place', () => {
  expect(made(numbered, ['line 50\n', 'new\n'])).toMatchObject({
    diff: '@@ -47,7 +47,7 @@\n line 47\n line 48\n line 49\n-line 50\n+new\n line 51\n line 52\n line 53\n',
    firstChangedLine: 50,
  });
});

test('changes far apart are shown apart, near ones together, each numbered in both files', () => {
  const { diff, firstChangedLine } = made(numbered, ['line 10\n', 'a\nb\nc\n'], ['line 12\n', ''], ['line 90', 'z']);
  expect(diff.match(/^@@.*@@$/gm)).toEqual(['@@ -7,9 +7,10 @@', '@@ -87,7 +88,7 @@']);
  expect(firstChangedLine).toBe(10);
});

test('at both rims of a file, and where no final line end is', () => {
  expect(made('a\nb', ['a\n', ''])).toMatchObject({
    diff: '@@ -1,2 +1 @@\n-a\n b\n\\ No newline at end of file\n',
    firstChangedLine: 1,
  });
  expect(made('a\nb', ['b', 'b\nc'])).toMatchObject({
    diff: '@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n',
    firstChangedLine: 2,
  });
  expect(made('\n\na\n', ['a', 'b'])).toMatchObject({ diff: '@@ -1,3 +1,3 @@\n \n \n-a\n+b\n' });
  expect(made('only\n', ['only\n', ''])).toMatchObject({ diff: '@@ -1 +0,0 @@\n-only\n', firstChangedLine: 1 });
});

test('CR of CRLF is not in the diff for reading, and is in the patch; CR alone makes lines too', () => {
  const { diff, patch } = made('a\r\nb\r\n', ['b', 'c']);
  expect(diff).toBe('@@ -1,2 +1,2 @@\n a\n-b\n+c\n');
  expect(patch).toBe('--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n');
  expect(made('a\rb\rc\r', ['b', 'x']).diff).toBe('@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n');
});

test('an edit of thousands of lines into other ones is shown whole', () => {
  const long = (word: string): string => Array.from({ length: 5000 }, (_, at) => `${word} ${at}`).join('\n');
  const { diff, firstChangedLine } = made(`start\n${long('a')}\nend\n`, [long('a'), long('b')]);
  expect(diff.split('\n').filter((line) => line.startsWith('-a ')).length).toBe(5000);
  expect(diff.split('\n').filter((line) => line.startsWith('+b ')).length).toBe(5000);
  expect(firstChangedLine).toBeLessThanOrEqual(2);
});

test('of overlong lines the part that differs is shown, and of what is too large the first changes', () => {
  const words = Array.from({ length: 1_000 }, (_, at) => `word${at}`).join(' ');
  const { diff } = made(words, ['word700', 'changed']);
  expect(diff).toContain('word699 word700 word701');
  expect(diff).toContain('word699 changed word701');
  expect(diff.length).toBeLessThan(2_000);
  const long = `${'x '.repeat(2_500_000)}here${' y'.repeat(100)}`;
  const large = made(`first\n${long}\n`, ['here', 'there']);
  expect(large.patch).toBe('');
  expect(large.diff).toContain('@@ line 2 @@\n-');
  expect(large.diff).toContain('x x here y y');
  expect(large.diff).toContain('x x there y y');
  expect(large.firstChangedLine).toBe(2);
});

const git = needs('git', 'git');

test.skipIf(git.skip)(`git takes the patch and makes the same file of it${git.name}`, () => {
  const dir = testFolder();
  const { patch, result } = made(numbered, ['line 3\n', ''], ['line 40', 'x\ny'], ['line 99\nline 100\n', 'the end']);
  writeFileSync(join(dir, 'a.txt'), numbered);
  execFileSync('git', ['apply', '-p0', '-'], { cwd: dir, input: patch });
  expect(readFileSync(join(dir, 'a.txt'), 'latin1')).toBe(result);
});
