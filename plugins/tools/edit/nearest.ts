import { type Bytes, linesOf, toText } from './lines.ts';

const shownLines = 12;
/** Comparing every line with another takes time: beyond these, lines are only looked up. */
const comparedLines = 20_000;
const comparedLength = 300;

/** Where in the file a text was most likely meant to be, for a model that got it slightly wrong; empty where nowhere. */
export function nearest(source: Bytes, wanted: Bytes): string {
  const there = linesOf(source).map((line) => line.text);
  const asked = linesOf(wanted).map((line) => line.text);
  // A text that ends with a line end asks for no further line.
  if (asked.length > 1 && asked.at(-1) === '') asked.pop();
  const at = bySameLines(there, asked) ?? byLikeness(there, asked);
  if (at === undefined) return ' Read the file again: nothing in it is like that.';
  const from = Math.max(0, at);
  const to = Math.min(there.length, at + asked.length);
  const shown = there
    .slice(from, Math.min(to, from + shownLines))
    .map((line, index) => `${from + index + 1}: ${cut(toText(line))}`);
  if (to - from > shownLines) shown.push('…');
  return ` The nearest is line ${from + 1}${to - from > 1 ? ` to ${to}` : ''}:\n${shown.join('\n')}${firstDifference(there, asked, at)}`;
}

/** The shift at which most lines are equal, spaces at both ends aside. */
function bySameLines(there: readonly string[], asked: readonly string[]): number | undefined {
  const wantedAt = new Map<string, number[]>();
  for (const [at, line] of asked.entries()) {
    const key = line.trim();
    if (key !== '') wantedAt.set(key, [...(wantedAt.get(key) ?? []), at]);
  }
  const votes = new Map<number, number>();
  for (const [at, line] of there.entries()) {
    const key = line.trim();
    // A bracket alone says little about the place.
    for (const wanted of wantedAt.get(key) ?? [])
      votes.set(at - wanted, (votes.get(at - wanted) ?? 0) + Math.min(key.length, 20));
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

function firstDifference(there: readonly string[], asked: readonly string[], shift: number): string {
  const at = asked.findIndex((line, index) => there[shift + index]?.trimEnd() !== line.trimEnd());
  const line = asked[at];
  if (line === undefined) return '';
  const has = there[shift + at];
  const what = has === undefined ? 'the file has no such line' : `the file has ${quoted(has)}`;
  return `\nLine ${shift + at + 1} differs: ${what}, oldText has ${quoted(line)}.`;
}

const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
/** Spaces and tabs can be told apart. */
const quoted = (line: Bytes): string => JSON.stringify(cut(toText(line)));
