import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { line, writeLines, writeTree } from './fixtures.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'kern-bench-test-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test('a large file has as many lines as were asked for, and the other ones where they belong', () => {
  const path = join(folder(), 'large.txt');
  const count = 40_000;
  writeLines(
    path,
    count,
    new Map([
      [1, 'first'],
      [16_385, 'a piece begins'],
      [count, 'last'],
    ]),
  );
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines).toHaveLength(count + 1);
  expect([lines[0], lines[16_384], lines[count - 1], lines[count]]).toEqual(['first', 'a piece begins', 'last', '']);
  expect(lines.filter((text) => `${text}\n` === line)).toHaveLength(count - 3);
});

test('a tree has as many files as were asked for, and the mark in each of the nth', () => {
  const root = folder();
  writeTree(root, 2_500, 500, 'mark');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.txt'));
  expect(files).toHaveLength(2_500);
  expect(files.filter((path) => readFileSync(join(root, path), 'utf8').includes('mark'))).toHaveLength(5);
});
