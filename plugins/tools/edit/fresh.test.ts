import { diffArrays } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { applyEdits } from './apply.ts';
import { align, knownAfter } from './fresh.ts';
import { spliced } from './lines.ts';
import { patchOf } from './patch.ts';
import { createSeenFiles, withRun } from './seen.ts';

const options = { numRuns: counts({ test: 300, soak: 20_000 }), seed: seed() };
const { structuredPatch } = await import('diff');

test('lines that were shown are found again where they are now', () => {
  const run = { from: 3, lines: ['c', 'd', 'e', 'f'] };
  expect(align(run, ['a', 'b', 'c', 'd', 'e', 'f'])).toMatchObject({
    segments: [{ seen: 3, fresh: 3, count: 4 }],
    gaps: [],
  });
  expect(align(run, ['new', 'a', 'b', 'c', 'd', 'e', 'f'])).toMatchObject({
    segments: [{ seen: 3, fresh: 4, count: 4 }],
    gaps: [],
  });
  expect(align(run, ['c', 'd', 'X', 'Y', 'f'])).toMatchObject({
    segments: [
      { seen: 3, fresh: 1, count: 2 },
      { seen: 6, fresh: 5, count: 1 },
    ],
    gaps: [{ from: 3, to: 5 }],
  });
  expect(align(run, ['c', 'f'])).toMatchObject({ gaps: [{ from: 2, to: 2 }] });
  expect(align(run, ['x', 'y'])).toMatchObject({ segments: [], gaps: [{ from: 1, to: 3 }] });
});

const texts = fc.array(fc.constantFrom('a', 'b', 'c', '', '}', 'x = 1', 'y = 2', 'z'), { maxLength: 25 });

test('what is said to be as it was is as it was, in order', () => {
  fc.assert(
    fc.property(texts, texts, fc.nat({ max: 5 }), (lines, fresh, from) => {
      const { segments } = align({ from: from + 1, lines }, fresh);
      let seen = 0;
      let now = 0;
      for (const segment of segments) {
        expect(segment.seen).toBeGreaterThanOrEqual(seen);
        expect(segment.fresh).toBeGreaterThanOrEqual(now);
        const at = segment.seen - from - 1;
        expect(lines.slice(at, at + segment.count)).toEqual(
          fresh.slice(segment.fresh - 1, segment.fresh - 1 + segment.count),
        );
        seen = segment.seen + segment.count;
        now = segment.fresh + segment.count;
      }
    }),
    options,
  );
});

test('what is known after an edit is what is there', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.array(fc.tuple(fc.nat({ max: 59 }), fc.nat({ max: 3 })), { minLength: 1, maxLength: 4 }),
      fc.nat({ max: 59 }),
      fc.integer({ min: 1, max: 40 }),
      (length, changes, from, count) => {
        const lines = Array.from({ length }, (_, at) => `line ${at};`);
        const source = `${lines.join('\n')}\n`;
        const edits = [...new Map(changes.map(([at, times]) => [at % length, times]))].map(([at, times]) => ({
          oldText: `line ${at};\n`,
          newText: `new ${at}\n`.repeat(times),
        }));
        const applied = applyEdits(
          source,
          edits.filter(({ oldText }) => source.indexOf(oldText) === source.lastIndexOf(oldText)),
          diffArrays,
        );
        if (!applied.ok) return;
        const start = from % length;
        const seen = lines.slice(start, start + count);
        const { hunks } = patchOf('a', source, applied.splices, structuredPatch);
        const after = spliced(source, applied.splices).split('\n').slice(0, -1);
        const known = knownAfter([align({ from: start + 1, lines: seen }, lines)], hunks, after);
        const gone = new Set(edits.map(({ oldText }) => oldText.trimEnd()));
        const all = new Set(known.flatMap((run) => run.lines));
        for (const run of known) expect(run.lines).toEqual(after.slice(run.from - 1, run.from - 1 + run.lines.length));
        for (const line of seen) if (!gone.has(line)) expect(all).toContain(line);
        for (const line of after) if (line.startsWith('new')) expect(all).toContain(line);
      },
    ),
    options,
  );
});

test('newer lines take the place of older ones', () => {
  const old = [{ from: 1, lines: ['a', 'b', 'c', 'd'] }];
  expect(withRun(old, { from: 2, lines: ['X', 'Y'] })).toEqual([
    { from: 1, lines: ['a'] },
    { from: 2, lines: ['X', 'Y'] },
    { from: 4, lines: ['d'] },
  ]);
  expect(withRun(old, { from: 1, lines: ['1', '2', '3', '4', '5'] })).toEqual([
    { from: 1, lines: ['1', '2', '3', '4', '5'] },
  ]);
});

test('what was seen is each session’s own, and the longest unused goes when there is too much', () => {
  const seen = createSeenFiles(300);
  const lines = ['x'.repeat(80)];
  seen.add('s1', '/a', { from: 1, lines });
  seen.add('s1', '/b', { from: 1, lines });
  expect(seen.of('s2', '/a').runs).toEqual([]);
  expect(seen.of('s1', '/a').runs).toHaveLength(1);
  seen.add('s1', '/c', { from: 1, lines });
  seen.add('s1', '/d', { from: 1, lines });
  expect(['/a', '/b', '/c', '/d'].map((path) => seen.of('s1', path).runs.length)).toEqual([1, 0, 1, 1]);
});
