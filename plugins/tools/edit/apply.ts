import type { diffArrays } from 'diff';
import { createFinder, type Finder, type Found, type How } from './find.ts';
import { commonestEnd, lineNumber, type Place, type Splice } from './lines.ts';
import { nearest } from './nearest.ts';
import { type LineEnds, lineEndsOf, rewritten, stretchesOf } from './rewrite.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Every place it is at, not just the only one. */
  readonly replaceAll?: boolean | undefined;
}

/** One change that was found a place: all of it, and what changes in it. */
export interface Change {
  readonly name: string;
  readonly place: Place;
  readonly splices: readonly Splice[];
  /** What the model took for the text of the place, where that may be less than whole lines. */
  readonly asked?: string;
  readonly how: How;
}

export type Applied =
  | { readonly ok: true; readonly changes: readonly Change[]; readonly splices: readonly Splice[] }
  | { readonly ok: false; readonly problems: readonly string[] };

const loneReturn = /\r(?!\n)/;

const bom = '\ufeff';

/** Every edit is looked up in the file as it is; either all of them can be made, or none is, and each problem is told. */
export function applyEdits(source: string, edits: readonly Edit[], diff: typeof diffArrays): Applied {
  const problems: string[] = [];
  const changes: Change[] = [];
  const finder = createFinder(source);
  const ends = lineEndsOf(source);
  for (const [at, edit] of edits.entries()) {
    const name = edits.length === 1 ? 'The edit' : `edits[${at}]`;
    const refusal = unusable(edit);
    const found = refusal === undefined ? applyEdit(source, finder, ends, edit, name, diff) : refusal;
    if (typeof found === 'string') problems.push(`${name}: ${found}`);
    else for (const change of found) changes.push(change);
  }
  const applied = together(source, changes, problems);
  const isAboutEnds = edits.some(({ oldText, newText }) => withoutReturns(oldText) === withoutReturns(newText));
  return !applied.ok && applied.problems.length === 1 && applied.problems[0] === nothingToDo && isAboutEnds
    ? { ok: false, problems: [endsStay] }
    : applied;
}

const nothingToDo = 'Nothing would change: the file has this text already.';
const endsStay =
  'Nothing would change: the file has this text already, and its lines keep their line ends. To change those use a program through bash (sed, unix2dos).';
const withoutReturns = (text: string): string => text.replaceAll('\r\n', '\n');

function applyEdit(
  source: string,
  finder: Finder,
  ends: LineEnds,
  { oldText, newText, replaceAll = false }: Edit,
  name: string,
  diff: typeof diffArrays,
): readonly Change[] | string {
  // The mark at the start of a file is not part of its text.
  const wanted = withoutBom(oldText);
  const found = finder.text(wanted, replaceAll);
  if (found.places.length === 0) return `oldText is not in the file.${nearest(source, wanted, diff)}`;
  if (found.places.length > 1 && !replaceAll)
    return `oldText is in the file ${found.places.length} times${whereOf(source, found)}. Add lines around it until it is there once.`;
  const stretches = stretchesOf(wanted, withoutBom(newText), diff, loneReturns(source, wanted, newText, found.how));
  return found.places.map((place) => ({
    name,
    place,
    splices: rewritten({ source, ends, place, how: found.how, shift: place.shift, whole: false }, stretches, diff),
    asked: wanted,
    how: found.how,
  }));
}

/** Where the file has other line ends, a CR by itself is a character, unless it stood for a line end in the old text. */
function loneReturns(source: string, wanted: string, newText: string, how: How): 'ends' | 'stays' {
  if (!loneReturn.test(newText)) return 'ends';
  return commonestEnd(source) === '\r' || (how !== 'exact' && loneReturn.test(wanted)) ? 'ends' : 'stays';
}

/** All changes of a call, if none of them is in the way of another. */
export function together(source: string, changes: readonly Change[], earlier: readonly string[]): Applied {
  const problems = [...earlier];
  const sorted = changes.toSorted((a, b) => a.place.start - b.place.start || a.place.end - b.place.end);
  for (const [at, change] of sorted.entries()) {
    const next = sorted[at + 1];
    if (next !== undefined && next.place.start < change.place.end)
      problems.push(
        `${change.name} and ${next.name} overlap (line ${lineNumber(source, next.place.start)}): make one edit of them.`,
      );
  }
  if (problems.length > 0) return { ok: false, problems };
  const splices = sorted.flatMap((change) => change.splices);
  return splices.length === 0 ? { ok: false, problems: [nothingToDo] } : { ok: true, changes: sorted, splices };
}

function unusable({ oldText, newText }: Edit): string | undefined {
  if (withoutBom(oldText) === '') return 'oldText is empty. Give the text to replace; for a whole file use write.';
  if (oldText === newText) return 'oldText and newText are the same.';
  return newText.isWellFormed() ? undefined : 'newText has half a character in it (a lone surrogate).';
}

export const withoutBom = (text: string): string => (text.startsWith(bom) ? text.slice(1) : text);

/** ` (lines 1, 3), not counting spaces at line ends`. */
export function whereOf(source: string, { places, how }: Found): string {
  const lines = places.slice(0, 10).map(({ start }) => lineNumber(source, start));
  return ` (lines ${lines.join(', ')}${places.length > 10 ? ' and more' : ''})${overlooked[how]}`;
}

const overlooked: Readonly<Record<How, string>> = {
  exact: '',
  spaces: ', not counting spaces at line ends',
  signs: ', taking quotes, dashes and spaces of all kinds for one',
  indent: ', not counting indentation',
};
