import type { diffArrays } from 'diff';
import { lineTexts } from './lines.ts';

const shownLines = 16;
/** Comparing every line with another takes time: beyond these, lines are only looked up. */
const comparedLines = 20_000;
const comparedLength = 300;

/** Where in the file a text was most likely meant to be, for a model that got it slightly wrong, with what differs there. */
export function nearest(source: string, wanted: string, diff: typeof diffArrays, name = 'oldText'): string {
  const there = lineTexts(source);
  const asked = lineTexts(wanted);
  const at = bySameLines(there, asked) ?? byLikeness(there, asked);
  if (at === undefined) return ' Read the file again: nothing in it is like that.';
  const from = Math.max(0, at);
  const to = Math.min(there.length, at + asked.length);
  const lines = difference(there.slice(from, to), asked, from, diff);
  const shown = lines.slice(0, shownLines);
  if (lines.length > shownLines) shown.push('…');
  return ` The nearest is line ${from + 1}${to - from > 1 ? ` to ${to}` : ''} (- the file, + ${name}):\n${shown.join('\n')}`;
}

/** A diff with the numbers of the file's lines; what is the same far from a difference is left out. */
function difference(
  there: readonly string[],
  asked: readonly string[],
  from: number,
  diff: typeof diffArrays,
): readonly string[] {
  const changes = diff([...there], [...asked], {
    maxEditLength: 200,
    comparator: (a, b) => a.trimEnd() === b.trimEnd(),
  });
  const rows: { readonly text: string; readonly same: boolean }[] = [];
  let line = from + 1;
  if (changes === undefined) {
    for (const [at, text] of there.entries()) rows.push({ text: `-${line + at}: ${spelled(text)}`, same: false });
  } else {
    for (const { added, removed, value } of changes)
      for (const text of value) {
        rows.push({
          text: added ? `+  ${spelled(text)}` : `${removed ? '-' : ' '}${line}: ${removed ? spelled(text) : cut(text)}`,
          same: !added && !removed,
        });
        if (!added) line += 1;
      }
  }
  return rows
    .filter((_, at) => rows.slice(Math.max(0, at - 2), at + 3).some(({ same }) => !same))
    .map(({ text }) => text);
}

/** The shift at which most lines are equal, spaces at both ends aside. */
function bySameLines(there: readonly string[], asked: readonly string[]): number | undefined {
  const wantedAt = new Map<string, number[]>();
  for (const [at, line] of asked.entries()) {
    const key = line.trim();
    if (key === '') continue;
    const known = wantedAt.get(key);
    if (known === undefined) wantedAt.set(key, [at]);
    // A line that is everywhere says nothing about the place, and would be counted against every other.
    else if (known.length < 8) known.push(at);
  }
  const votes = new Map<number, number>();
  const met = new Map<string, number>();
  for (const [at, line] of there.entries()) {
    const key = line.trim();
    const places = wantedAt.get(key);
    if (places === undefined) continue;
    const times = (met.get(key) ?? 0) + 1;
    met.set(key, times);
    if (times > 1_000) continue;
    // A bracket alone says little about the place.
    for (const wanted of places) votes.set(at - wanted, (votes.get(at - wanted) ?? 0) + Math.min(key.length, 20));
  }
  let best: number | undefined;
  for (const [shift, weight] of votes)
    if (weight > 3 && weight > (best === undefined ? 0 : (votes.get(best) ?? 0))) best = shift;
  return best;
}

/** The line that is most like the longest that was asked for. */
function byLikeness(there: readonly string[], asked: readonly string[]): number | undefined {
  const longest = asked.reduce(
    (best, line, at) => (line.trim().length > (asked[best]?.trim().length ?? 0) ? at : best),
    0,
  );
  const pairs = pairsOf(asked[longest] ?? '');
  if (pairs.size === 0) return undefined;
  let best: { readonly at: number; readonly likeness: number } | undefined;
  for (const [at, line] of there.slice(0, comparedLines).entries()) {
    const likeness = likenessOf(pairs, pairsOf(line));
    if (likeness >= 0.5 && likeness > (best?.likeness ?? 0)) best = { at, likeness };
  }
  return best === undefined ? undefined : best.at - longest;
}

function pairsOf(line: string): ReadonlySet<string> {
  const text = line.trim().slice(0, comparedLength);
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
}

function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared += 1;
  return (2 * shared) / (a.size + b.size);
}

const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text).toWellFormed();
/** Where lines differ, spaces and tabs can be told apart. */
const spelled = (line: string): string => JSON.stringify(cut(line));
