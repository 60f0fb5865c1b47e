import { expect, test } from 'vitest';
import { createRing } from './ring.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a ring below its limit holds everything', () => {
  const ring = createRing(100);
  ring.push(bytes('one '));
  ring.push(bytes('two'));
  expect(ring.text()).toBe('one two');
  expect(ring.dropped).toBe(0);
  expect(ring.size).toBe(7);
});

test('what comes last stays, what came first is counted as dropped', () => {
  const ring = createRing(5);
  for (const letter of 'abcdefgh') ring.push(bytes(letter));
  expect(ring.text()).toBe('defgh');
  expect(ring.dropped).toBe(3);
});

test('a chunk larger than the ring leaves its end', () => {
  const ring = createRing(4);
  ring.push(bytes('xx'));
  ring.push(bytes('0123456789'));
  expect(ring.text()).toBe('6789');
  expect(ring.dropped).toBe(8);
});

test('random chunks give the same as a plain buffer cut at its end', () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed % below;
  };
  for (let round = 0; round < 200; round += 1) {
    const limit = 1 + random(9000);
    const ring = createRing(limit);
    let all = Buffer.alloc(0);
    for (let push = 0; push < 12; push += 1) {
      const chunk = Buffer.alloc(random(6000), push + 1);
      ring.push(chunk);
      all = Buffer.concat([all, chunk]);
    }
    expect(Buffer.from(ring.bytes()).equals(all.subarray(Math.max(0, all.length - limit)))).toBe(true);
    expect(ring.size + ring.dropped).toBe(all.length);
  }
});

test('a character cut at the start is left out, one split over chunks is whole', () => {
  const ring = createRing(6);
  const euro = bytes('€');
  ring.push(bytes('ab'));
  ring.push(euro.subarray(0, 1));
  ring.push(euro.subarray(1));
  expect(ring.text()).toBe('ab€');
  ring.push(bytes('cde'));
  expect(ring.text()).toBe('€cde');
  ring.push(bytes('f'));
  expect(ring.text()).toBe('cdef');
});

test('a limit of nothing keeps nothing and counts', () => {
  const ring = createRing(0);
  ring.push(bytes('abc'));
  expect(ring.text()).toBe('');
  expect(ring.dropped).toBe(3);
});
