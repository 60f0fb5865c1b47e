import { expect, test } from 'vitest';
import { type Line, LineSplitter } from './lines.ts';

function split(text: string | Buffer, chunk: number, keep = 1024): Line[] {
  const bytes = Buffer.from(text);
  const found: Line[] = [];
  const splitter = new LineSplitter(keep, (line) => found.push({ ...line, head: Buffer.from(line.head) }));
  for (let at = 0; at < bytes.length; at += chunk) splitter.push(bytes.subarray(at, at + chunk));
  splitter.end();
  return found;
}

test('lines are the same in whatever pieces they come', () => {
  const text = '{"a":1}\n\n größer }\r\nlast';
  const whole = split(text, 1024);
  for (const chunk of [1, 2, 3, 5, 8]) expect(split(text, chunk)).toEqual(whole);
  expect(whole.map(({ number, at, length, isEnded, head }) => [number, at, length, isEnded, head.toString()])).toEqual([
    [1, 0, 7, true, '{"a":1}'],
    [2, 8, 0, true, ''],
    [3, 9, 12, true, ' größer }\r'],
    [4, 22, 4, false, 'last'],
  ]);
  expect(whole.map(({ last }) => last)).toEqual([0x7d, undefined, 0x7d, 't'.charCodeAt(0)]);
});

test('of a long line only the beginning is held, and its length and last byte are known', () => {
  for (const chunk of [1, 7, 100, 10_000]) {
    const [long, next] = split(`${'x'.repeat(5_000)}}\n{}\n`, chunk, 10);
    expect(long).toMatchObject({ length: 5_001, isEnded: true, last: 0x7d, head: Buffer.from('x'.repeat(10)) });
    expect(next).toMatchObject({ number: 2, at: 5_002, length: 2 });
  }
});

test('nothing is a line of nothing', () => {
  expect(split('', 10)).toEqual([]);
  expect(split('\n', 10)).toMatchObject([{ number: 1, length: 0, isEnded: true }]);
});

test('a word is counted in each line, in whatever pieces they come', () => {
  const text = 'word\nno\na word and word\n\nwo\nrdwordwordword';
  for (const chunk of [1, 2, 3, 4, 5, 100]) {
    const counted: number[] = [];
    const splitter = new LineSplitter(2, ({ words }) => counted.push(words), { word: 'word' });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += chunk) splitter.push(bytes.subarray(at, at + chunk));
    splitter.end();
    expect(counted).toEqual([1, 0, 2, 0, 0, 3]);
  }
});
