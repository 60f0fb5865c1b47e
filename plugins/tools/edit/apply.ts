import { isUtf8 } from 'node:buffer';
import type { diffArrays } from 'diff';
import { createFinder, type Found, type Place } from './find.ts';
import { type Bytes, lineNumber, toBytes } from './lines.ts';
import { nearest } from './nearest.ts';
import { rewritten } from './rewrite.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/** A place in the file and what comes there. */
export interface Splice extends Place {
  readonly text: Bytes;
}

export type Applied =
  | { readonly ok: true; readonly result: Bytes; readonly splices: readonly Splice[] }
  | { readonly ok: false; readonly problems: readonly string[] };

const bom = '\ufeff';

/** Every edit is looked up in the file as it is; either all of them can be made, or none is, and each problem is told. */
export function applyEdits(source: Bytes, edits: readonly Edit[], diff: typeof diffArrays): Applied {
  const problems: string[] = [];
  const splices: (Splice & { readonly name: string })[] = [];
  const find = createFinder(source);
  const isText = isUtf8(Buffer.from(source, 'latin1'));
  for (const [at, edit] of edits.entries()) {
    const name = edits.length === 1 ? 'The edit' : `edits[${at}]`;
    const refusal = unusable(edit, isText);
    if (refusal !== undefined) {
      problems.push(`${name}: ${refusal}`);
      continue;
    }
    // The mark at the start of a file is not part of its text.
    const oldText = toBytes(withoutBom(edit.oldText));
    const newText = toBytes(withoutBom(edit.newText));
    const found = find(oldText);
    const [place] = found.places;
    if (place === undefined) problems.push(`${name}: oldText is not in the file.${nearest(source, oldText)}`);
    else if (found.places.length > 1) problems.push(`${name}: ${ambiguous(source, found)}`);
    else splices.push({ ...place, name, text: rewritten(source, place, oldText, newText, diff) });
  }
  splices.sort((a, b) => a.start - b.start || a.end - b.end);
  for (const [at, splice] of splices.entries()) {
    const next = splices[at + 1];
    if (next !== undefined && next.start < splice.end)
      problems.push(
        `${splice.name} and ${next.name} overlap (line ${lineNumber(source, next.start)}): make one edit of them.`,
      );
  }
  if (problems.length > 0) return { ok: false, problems };
  const result = spliced(source, splices);
  return result === source
    ? { ok: false, problems: ['Nothing would change: the file has this text already.'] }
    : { ok: true, result, splices };
}

/** The file with the new texts in their places. */
export function spliced(source: Bytes, splices: readonly Splice[]): Bytes {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, text } of splices) {
    parts.push(source.slice(from, start), text);
    from = end;
  }
  return parts.join('') + source.slice(from);
}

function unusable({ oldText, newText }: Edit, isText: boolean): string | undefined {
  if (withoutBom(oldText) === '') return 'oldText is empty. Give the text to replace; for a whole file use write.';
  if (oldText === newText) return 'oldText and newText are the same.';
  if (!newText.isWellFormed()) return 'newText has half a character in it (a lone surrogate).';
  if (!isText && !isAscii(newText))
    return 'the file is not UTF-8, and newText has characters beyond ASCII, which would come out wrong. Convert it with iconv through bash, or keep newText to ASCII.';
  return undefined;
}

const withoutBom = (text: string): string => (text.startsWith(bom) ? text.slice(1) : text);
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is meant.
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

function ambiguous(source: Bytes, { places, how }: Found): string {
  const lines = places.map(({ start }) => lineNumber(source, start));
  const shown = lines.length > 10 ? `${lines.slice(0, 10).join(', ')} and more` : lines.join(', ');
  return `oldText is in the file ${places.length} times (lines ${shown})${how === 'tolerant' ? ', not counting spaces at line ends' : ''}. Add lines around it until it is there once.`;
}
