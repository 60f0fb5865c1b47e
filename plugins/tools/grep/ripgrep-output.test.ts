import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { createOutputReader } from './ripgrep-output.ts';

type Read = readonly [path: string, number: number, isHit: boolean, text: string, isCut: boolean];

function readIn(pieces: readonly Uint8Array[]): {
  readonly lines: readonly Read[];
  readonly binaries: readonly string[];
} {
  const lines: Read[] = [];
  const binaries: string[] = [];
  const reader = createOutputReader({
    line: (path, number, isHit, text, isCut = false) => void lines.push([path, number, isHit, text, isCut]),
    binary: (path) => void binaries.push(path),
  });
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return { lines, binaries };
}

const output = Buffer.from(
  [
    './a.ts\x001:hit: 1-2\n',
    './a.ts\x0012-beside\r\n',
    './b\nc.ts\x003:größe\u{1F600}\n',
    './x.bin: WARNING: stopped searching binary file after match (found "\\0" byte around offset 70000)\n',
    './y: z.bin: binary file matches (found "\\0" byte around offset 5)\n',
    './d.ts\x004:\n',
    `./long.ts\x005:${'x'.repeat(4096)} [... omitted end of long line]\r\n`,
    `./long.ts\x006:${'x'.repeat(4096)} [... 12 more matches]\n`,
    `./huge.ts\x007:${'y'.repeat(100_000)}\n`,
    './e.ts\x008:text [... omitted end of long line]\n',
    './last.bin: binary file matches (found "\\0" byte around offset 9)\n',
  ].join(''),
);
const expected = {
  lines: [
    ['a.ts', 1, true, 'hit: 1-2', false],
    ['a.ts', 12, false, 'beside', false],
    ['b\nc.ts', 3, true, 'größe\u{1F600}', false],
    ['d.ts', 4, true, '', false],
    ['long.ts', 5, true, 'x'.repeat(4096), true],
    ['long.ts', 6, true, 'x'.repeat(4096), true],
    ['huge.ts', 7, true, 'y'.repeat(16 * 1024), true],
    ['e.ts', 8, true, 'text [... omitted end of long line]', false],
  ],
  binaries: ['x.bin', 'y: z.bin', 'last.bin'],
};

test('hits, lines beside them and words on binary files are told apart', () => {
  expect(readIn([output])).toEqual(expected);
});

test('it does not matter into what pieces the output is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(output.length), { maxLength: 40 }), (places) => {
      const cuts = [0, ...places.sort((a, b) => a - b), output.length];
      expect(readIn(cuts.slice(1).map((end, at) => output.subarray(cuts[at], end)))).toEqual(expected);
    }),
    { seed: seed(), numRuns: counts({ test: 50, soak: 2_000 }) },
  );
});

test('one byte at a time is enough', () => {
  const start = output.subarray(0, 400);
  expect(readIn([...start].map((byte) => Buffer.from([byte])))).toEqual(readIn([start]));
});
