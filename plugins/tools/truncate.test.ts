import { expect, test } from 'vitest';
import { cutToBytes, cutToLastBytes, formatBytes, truncateHead, truncateTail } from './truncate.ts';

test('what fits is left as it is, and a final newline makes no further line', () => {
  expect(truncateHead('a\nb\n')).toMatchObject({
    text: 'a\nb\n',
    truncated: false,
    totalLines: 2,
    shownLines: 2,
    totalBytes: 4,
  });
  expect(truncateTail('')).toMatchObject({ text: '', truncated: false, totalLines: 0 });
});

test('the head keeps the first lines, the tail the last, and both say which limit it was', () => {
  const text = Array.from({ length: 10 }, (_, at) => `line ${at}`).join('\n');
  expect(truncateHead(text, { lines: 3, bytes: 1000 })).toMatchObject({
    text: 'line 0\nline 1\nline 2',
    by: 'lines',
    shownLines: 3,
    totalLines: 10,
  });
  expect(truncateTail(text, { lines: 3, bytes: 1000 })).toMatchObject({
    text: 'line 7\nline 8\nline 9',
    by: 'lines',
    shownLines: 3,
  });
  // 'line 0\nline 1' is 13 bytes: a third line would not fit, and none is cut.
  expect(truncateHead(text, { lines: 100, bytes: 15 })).toMatchObject({
    text: 'line 0\nline 1',
    by: 'bytes',
    shownLines: 2,
    cutLine: false,
  });
  expect(truncateTail(text, { lines: 100, bytes: 15 })).toMatchObject({ text: 'line 8\nline 9', by: 'bytes' });
});

test('one line longer than the limit is cut, at a whole character, and that is said', () => {
  expect(truncateHead('€€€€', { lines: 10, bytes: 7 })).toMatchObject({ text: '€€', cutLine: true, by: 'bytes' });
  expect(truncateTail('ab\n€€€€', { lines: 10, bytes: 7 })).toMatchObject({ text: '€€', cutLine: true, totalLines: 2 });
  expect(truncateHead('€€€€\nb', { lines: 10, bytes: 7 })).toMatchObject({ text: '€€', shownLines: 1, totalLines: 2 });
});

test('cutting to bytes never leaves half a character', () => {
  const text = 'a€😀é'.repeat(20);
  for (let bytes = 0; bytes < 60; bytes += 1) {
    for (const part of [cutToBytes(text, bytes), cutToLastBytes(text, bytes)]) {
      expect(part).not.toContain('\ufffd');
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(bytes);
      expect(Buffer.byteLength(part)).toBeGreaterThan(bytes - 4);
    }
  }
});

test('sizes read as people write them', () => {
  expect([0, 1, 1023, 1024, 51_200, 1_572_864, 2 ** 40].map(formatBytes)).toEqual([
    '0 bytes',
    '1 byte',
    '1023 bytes',
    '1.0 KB',
    '50.0 KB',
    '1.5 MB',
    '1.0 TB',
  ]);
});
