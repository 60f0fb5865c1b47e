import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { searchAcross, searchLines } from './file-search.ts';
import { createMatcher } from './matcher.ts';
import { literalPattern } from './pattern.ts';

type Line = readonly [number: number, isHit: boolean, text: string];

function found(pieces: readonly string[], context: number, across: boolean): readonly Line[] {
  const lines: Line[] = [];
  const search = (across ? searchAcross : searchLines)({
    path: 'a',
    matcher: createMatcher(literalPattern('hit'), false),
    context,
    hits: {
      isDone: false,
      line: (_path, number, isHit, text) => void lines.push([number, isHit, text]),
      binary: () => undefined,
      decoded: () => undefined,
    },
  });
  for (const piece of pieces) search.push(piece);
  search.end();
  expect(search.hasHits).toBe(lines.length > 0);
  return lines;
}

/** As one would do it with the whole text at hand. */
function expected(text: string, context: number): readonly Line[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const hits = lines.flatMap((line, at) => (line.includes('hit') ? [at] : []));
  return lines.flatMap((line, at): Line[] => {
    if (hits.includes(at)) return [[at + 1, true, line]];
    return hits.some((hit) => Math.abs(hit - at) <= context) ? [[at + 1, false, line]] : [];
  });
}

test('lines, their numbers and what is beside hits do not depend on the pieces a text comes in', () => {
  const text = fc
    .array(fc.tuple(fc.constantFrom('', 'x', 'hit', 'é hit', 'hi', 't'), fc.constantFrom('\n', '\r\n')), {
      maxLength: 12,
    })
    .chain((lines) =>
      fc.constantFrom('', 'hit', 'x').map((last) => `${lines.map((line) => line.join('')).join('')}${last}`),
    );
  fc.assert(
    fc.property(text, fc.array(fc.nat(80), { maxLength: 5 }), fc.nat(3), (whole, places, context) => {
      const cuts = [0, ...places.map((at) => Math.min(at, whole.length)).sort((a, b) => a - b), whole.length];
      const pieces = cuts.slice(1).map((end, at) => whole.slice(cuts[at], end));
      expect(found(pieces, context, false)).toEqual(expected(whole, context));
      expect(found(pieces, context, true)).toEqual(expected(whole, context));
    }),
    { seed: seed(), numRuns: counts({ test: 500, soak: 20_000 }) },
  );
});
