import type { diffArrays } from 'diff';
import { type Applied, type Change, together } from './apply.ts';
import { block, createFinder, type Lines } from './find.ts';
import { lineEndsOf, rewritten } from './rewrite.ts';

/** A line as it was shown: `12#QK`. */
export interface Anchor {
  readonly line: number;
  readonly tag: string;
}

export interface LineEdit {
  readonly at:
    | { readonly kind: 'start' }
    | { readonly kind: 'end' }
    | { readonly kind: 'before' | 'after'; readonly anchor: Anchor }
    | { readonly kind: 'range'; readonly from: Anchor; readonly to: Anchor };
  /** What comes there; of a range in its place. */
  readonly lines: readonly string[];
}

const letters = 'ZPMQVRWSNKTXJBYH';

/** Two letters that make a line number a little harder to get wrong. What a line is, its text decides, not its tag. */
export function tagOf(text: string, line: number): string {
  const shown = text.trimEnd();
  let hash = /[\p{L}\p{N}]/u.test(shown) ? 0x811c9dc5 : 0x811c9dc5 ^ line;
  for (let at = 0; at < shown.length; at += 1) hash = Math.imul(hash ^ shown.charCodeAt(at), 0x01000193);
  const mixed = (hash ^ (hash >>> 16)) >>> 0;
  return `${letters[(mixed >>> 4) & 15]}${letters[mixed & 15]}`;
}

/** A line as a model sees it where it edits by line. */
export const taggedLine = (line: number, text: string): string => `${line}#${tagOf(text, line)}:${text}`;

/** Where a line that was shown is in the file as it is now, from 1, or what is to be said instead. */
export type Resolver = (anchor: Anchor, through?: Anchor) => { readonly from: number; readonly to: number } | string;

/** All anchors are of the file as it was shown; either all edits can be made, or none is. */
export function applyLines(
  source: string,
  edits: readonly LineEdit[],
  resolve: Resolver,
  diff: typeof diffArrays,
): Applied {
  const problems: string[] = [];
  const changes: Change[] = [];
  const finder = createFinder(source);
  const ends = lineEndsOf(source);
  for (const [index, edit] of edits.entries()) {
    const name = edits.length === 1 ? 'The edit' : `edits[${index}]`;
    const lines = linesAt(finder.view(), source, edit, resolve);
    if (typeof lines === 'string') {
      problems.push(`${name}: ${lines}`);
      continue;
    }
    if (edit.lines.some((line) => !line.isWellFormed())) {
      problems.push(`${name}: content has half a character in it (a lone surrogate).`);
      continue;
    }
    const { at, count } = lines;
    const start = finder.view().starts[at] ?? source.length;
    const place = count === 0 ? { start, end: start } : block(finder.view(), at, at + count);
    const before = finder.view().texts.slice(at, at + count);
    const stretches = edit.lines.length === 0 ? [] : [{ kept: false, from: 0, count, before, texts: edit.lines }];
    changes.push({
      name,
      place,
      splices: rewritten({ source, ends, place, how: 'exact', whole: true }, stretches, diff),
      how: 'exact',
    });
  }
  return together(source, changes, problems);
}

function linesAt(
  { texts }: Lines,
  source: string,
  { at, lines }: LineEdit,
  resolve: Resolver,
): { readonly at: number; readonly count: number } | string {
  const total = source === '' ? 0 : texts.length - (texts.at(-1) === '' ? 1 : 0);
  if (at.kind !== 'range' && lines.length === 0) return 'content is empty: give the lines that come there.';
  if (at.kind === 'start') return { at: 0, count: 0 };
  // Behind a final line end, or behind the last line.
  if (at.kind === 'end') return { at: source.endsWith('\n') || source.endsWith('\r') ? total : texts.length, count: 0 };
  const found = at.kind === 'range' ? resolve(at.from, at.to) : resolve(at.anchor);
  if (typeof found === 'string') return found;
  if (at.kind === 'range') return { at: found.from - 1, count: found.to - found.from + 1 };
  const line = at.kind === 'before' ? found.from - 1 : found.to;
  return { at: line >= total ? texts.length : line, count: 0 };
}
