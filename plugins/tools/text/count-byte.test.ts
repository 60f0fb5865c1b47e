import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countByte } from './count-byte.ts';

test('a byte is counted wherever it stands, at any place in memory', () => {
  const bytes = fc.uint8Array({ maxLength: 3_000 }).map((all) => all.map((byte) => (byte < 100 ? 10 : byte)));
  fc.assert(
    fc.property(bytes, fc.constantFrom(0, 10, 13, 0x7f, 0x80, 0xff), fc.nat(7), (all, byte, cut) => {
      const part = all.subarray(cut);
      expect(countByte(part, byte)).toBe(part.filter((one) => one === byte).length);
    }),
  );
});

test('many of the same byte are all counted', () => {
  for (const byte of [0, 10, 0x80, 0xff]) expect(countByte(new Uint8Array(5_000).fill(byte), byte)).toBe(5_000);
  expect(countByte(new Uint8Array(0), 0)).toBe(0);
});
