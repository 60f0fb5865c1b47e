import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cutToBytes,
  cutToLastBytes,
  formatBytes,
  formatOver,
  truncateHead,
  truncateLine,
  truncateMiddle,
  truncateTail,
} from './truncate.ts';

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

test('the middle goes where beginning and end are wanted, within a line if need be', () => {
  const limits = { lines: 4, bytes: 102 };
  expect(truncateMiddle('a\nb\n', limits)).toMatchObject({ text: 'a\nb\n', truncated: false });
  expect(truncateMiddle('x'.repeat(200), limits)).toMatchObject({
    text: `${'x'.repeat(50)}[… 100 bytes …]${'x'.repeat(50)}`,
    cutLine: true,
    by: 'bytes',
  });
  expect(truncateMiddle(`first\n${'x'.repeat(200)}`, limits).text).toBe(`first\n[… 151 bytes …]${'x'.repeat(50)}`);
  expect(truncateMiddle(`${'x'.repeat(200)}\nlast`, limits).text).toBe(`${'x'.repeat(50)}[… 151 bytes …]\nlast`);
  expect(truncateMiddle('1\n2\n3\n4\n5\n6', limits)).toMatchObject({
    text: '1\n2\n[… 2 lines …]\n5\n6',
    gap: { from: 3, to: 4 },
    by: 'lines',
    totalLines: 6,
  });
});

test('no cut leaves half a character, and none keeps more than its limits', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 300 }).map((text) => text.replaceAll('q', '\n'));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 8, max: 200 }), (text, lines, bytes) => {
      for (const cut of [truncateHead, truncateTail, truncateMiddle]) {
        const { text: shown, truncated } = cut(text, { lines, bytes });
        expect(shown.isWellFormed()).toBe(true);
        if (!truncated) expect(shown).toBe(text);
        else if (cut !== truncateMiddle) {
          expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(bytes);
          expect(cut === truncateHead ? text.startsWith(shown) : text.trimEnd().endsWith(shown.trimEnd())).toBe(true);
        }
      }
    }),
    { numRuns: 300, seed: 3 },
  );
});

test('a line is cut after so many characters as a person counts them', () => {
  expect(truncateLine('short')).toEqual({ text: 'short', isCut: false });
  expect(truncateLine('👨‍👩‍👧‍👦'.repeat(3), 2)).toEqual({ text: '👨‍👩‍👧‍👦'.repeat(2), isCut: true });
  expect(truncateLine('x'.repeat(501))).toEqual({ text: 'x'.repeat(500), isCut: true });
});

test('a size that is hardly over its limit is told to the byte', () => {
  expect(formatOver(10_000_500, 10_000_000)).toEqual(['10000500 bytes', '10000000 bytes']);
  expect(formatOver(20_000_000, 10_000_000)).toEqual(['19.1 MB', '9.5 MB']);
});
