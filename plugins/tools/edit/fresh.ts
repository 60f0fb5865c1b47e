import type { Change } from './apply.ts';
import type { Lines } from './find.ts';
import { normalLine } from './normal.ts';
import type { Hunk } from './patch.ts';
import type { Run } from './seen.ts';

/** Lines that are as they were shown: `count` of them, at `seen` then and at `fresh` now, from 1. */
export interface Segment {
  readonly seen: number;
  readonly fresh: number;
  readonly count: number;
}

/** A part of the file, in lines from 1, that is not as it was shown; `to` is behind it, and equal to `from` where lines are gone. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

export interface Alignment {
  readonly run: Run;
  readonly segments: readonly Segment[];
  readonly gaps: readonly Gap[];
}

/** Where lines that were shown are in the file as it is now. */
export function align(run: Run, fresh: readonly string[]): Alignment {
  const { from, lines } = run;
  if (lines.every((line, at) => fresh[from - 1 + at] === line))
    return { run, segments: [{ seen: from, fresh: from, count: lines.length }], gaps: [] };
  const segments = widened(anchorsOf(lines, fresh), lines, fresh).map(
    ({ at, there, count }): Segment => ({ seen: from + at, fresh: there + 1, count }),
  );
  return { run, segments, gaps: gapsOf(run, segments, fresh.length) };
}

interface Match {
  readonly at: number;
  readonly there: number;
  readonly count: number;
}

/** Lines that are there once, then and now, and in the same order. */
function anchorsOf(lines: readonly string[], fresh: readonly string[]): readonly Match[] {
  const once = new Map<string, { at: number; there: number; times: number }>();
  for (const [at, line] of lines.entries()) once.set(line, { at, there: -1, times: once.has(line) ? 2 : 0 });
  for (const [there, line] of fresh.entries()) {
    const known = once.get(line);
    if (known === undefined || known.times > 1) continue;
    known.times += 1;
    known.there = there;
  }
  const pairs = [...once.values()].filter(({ times }) => times === 1).sort((a, b) => a.at - b.at);
  return longestRising(pairs).map(({ at, there }) => ({ at, there, count: 1 }));
}

/** The longest choice of pairs in which `there` only rises: patience sorting. */
function longestRising<P extends { readonly there: number }>(pairs: readonly P[]): readonly P[] {
  interface Card {
    readonly pair: P;
    readonly below: Card | undefined;
  }
  const tops: Card[] = [];
  for (const pair of pairs) {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tops[middle]?.pair.there ?? 0) < pair.there) low = middle + 1;
      else high = middle;
    }
    tops[low] = { pair, below: tops[low - 1] };
  }
  const chosen: P[] = [];
  for (let card = tops.at(-1); card !== undefined; card = card.below) chosen.push(card.pair);
  return chosen.reverse();
}

/** Takes in the equal lines around each anchor. */
function widened(anchors: readonly Match[], lines: readonly string[], fresh: readonly string[]): readonly Match[] {
  const matches: Match[] = [];
  let atFrom = 0;
  let thereFrom = 0;
  for (const { at, there } of anchors) {
    if (at < atFrom) continue;
    let back = 0;
    while (at - back > atFrom && there - back > thereFrom && lines[at - back - 1] === fresh[there - back - 1])
      back += 1;
    let on = 1;
    while (at + on < lines.length && there + on < fresh.length && lines[at + on] === fresh[there + on]) on += 1;
    const last = matches.at(-1);
    const match = { at: at - back, there: there - back, count: back + on };
    if (last !== undefined && last.at + last.count === match.at && last.there + last.count === match.there)
      matches[matches.length - 1] = { ...last, count: last.count + match.count };
    else matches.push(match);
    atFrom = at + on;
    thereFrom = there + on;
  }
  return matches;
}

function gapsOf({ from, lines }: Run, segments: readonly Segment[], total: number): readonly Gap[] {
  const [first] = segments;
  const last = segments.at(-1);
  if (first === undefined || last === undefined) return [{ from: 1, to: total + 1 }];
  const gaps: Gap[] = [];
  const before = first.seen - from;
  if (before > 0) gaps.push({ from: Math.max(1, first.fresh - before), to: first.fresh });
  for (const [at, segment] of segments.entries()) {
    const next = segments[at + 1];
    if (next !== undefined) gaps.push({ from: segment.fresh + segment.count, to: next.fresh });
  }
  const behind = last.fresh + last.count;
  const after = from + lines.length - (last.seen + last.count);
  if (after > 0) gaps.push({ from: behind, to: Math.min(total + 1, behind + after) });
  return gaps;
}

/**
 * A text that was found where the file is not what the model was shown, though it would have been found in that, too:
 * the model may mean something else. Answers with the lines it is about.
 */
export function changedUnder(
  { place, asked }: Change,
  alignments: readonly Alignment[],
  { starts }: Lines,
): Gap | undefined {
  if (asked === undefined) return undefined;
  const first = lineAt(starts, place.start);
  const last = lineAt(starts, Math.max(place.start, place.end - 1));
  const plain = (lines: readonly string[]): string => lines.map((line) => normalLine(line, 'signs').text).join('\n');
  for (const { run, gaps } of alignments) {
    const touched = gaps.some(({ from, to }) =>
      from < to ? from <= last && first < to : first < from && from <= last,
    );
    if (touched && plain(run.lines).includes(plain(asked.split(/\r\n|\n|\r/)))) return { from: first, to: last + 1 };
  }
  return undefined;
}

/** The number of the line that `at` is in, from 1. */
export function lineAt(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** What is known of the file after an edit: what was and still is, moved, and what the diff shows. */
export function knownAfter(
  alignments: readonly Alignment[],
  hunks: readonly Hunk[],
  after: readonly string[],
): readonly Run[] {
  const ranges: Gap[] = [];
  for (const { segments } of alignments)
    for (const { fresh, count } of segments) ranges.push(...outside({ from: fresh, to: fresh + count }, hunks));
  for (const { newStart, newLines } of hunks)
    if (newLines > 0) ranges.push({ from: newStart, to: newStart + newLines });
  return joined(ranges).map(({ from, to }) => ({ from, lines: after.slice(from - 1, to - 1) }));
}

/** The parts of old lines that no hunk shows, with their new numbers. */
function outside({ from, to }: Gap, hunks: readonly Hunk[]): readonly Gap[] {
  const parts: Gap[] = [];
  let at = from;
  let shift = 0;
  for (const { oldStart, oldLines, newLines } of hunks) {
    if (at < oldStart) parts.push({ from: at + shift, to: Math.min(to, oldStart) + shift });
    at = Math.max(at, oldStart + oldLines);
    shift += newLines - oldLines;
    if (at >= to) break;
  }
  if (at < to) parts.push({ from: at + shift, to: to + shift });
  return parts.filter((part) => part.from < part.to);
}

function joined(ranges: readonly Gap[]): readonly Gap[] {
  const all: Gap[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last !== undefined && range.from <= last.to)
      all[all.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    else all.push(range);
  }
  return all;
}
