import type { diffArrays } from 'diff';
import { type Applied, type Change, together, whereOf } from './apply.ts';
import { block, createFinder, type Finder } from './find.ts';
import { nearest } from './nearest.ts';
import { type LineEnds, lineEndsOf, rewritten, type Stretch } from './rewrite.ts';

/** A part of a patch: lines that are there, lines that go and lines that come. */
export interface Hunk {
  /** Lines above it, from `@@ line`: where to start looking. */
  readonly anchors: readonly string[];
  /** The first line in the old file, from `@@ -12,3 +12,4 @@`. */
  readonly hint?: number | undefined;
  readonly lines: readonly { readonly kind: ' ' | '-' | '+'; readonly text: string }[];
  /** It stands at the end of the file. */
  readonly atEnd: boolean;
  /** Said of the new text: it ends, or does not, with a line end. */
  readonly finalEnd?: boolean | undefined;
}

const header = /^@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@)?(.*)$/;
const noEnd = /^\\ No newline/;

/** Reads hunks; what is no part of a patch is told with its line. */
export function parseHunks(lines: readonly string[], firstLine = 1): readonly Hunk[] | string {
  const hunks: Hunk[] = [];
  let open = newHunk();
  const close = (): void => {
    if (open.lines.length > 0)
      hunks.push({
        anchors: open.anchors,
        hint: open.hint,
        lines: open.lines,
        atEnd: open.atEnd,
        finalEnd: finalEnd(open.ends),
      });
    open = newHunk();
  };
  for (const [at, line] of lines.entries()) {
    const head = line.startsWith('@@') ? header.exec(line) : null;
    const kind = line[0];
    if (head !== null) {
      if (open.lines.length > 0) close();
      const anchor = (head[2] ?? '').replace(/^ /, '').replace(/ @@$/, '');
      // What stands behind line numbers is for people: the numbers say where to look.
      if (head[1] !== undefined) open.hint = Number(head[1]);
      else if (anchor.trim() !== '') open.anchors.push(anchor);
    } else if (line === '*** End of File') {
      open.atEnd = true;
    } else if (noEnd.test(line)) {
      open.ends.push(open.lines.at(-1)?.kind ?? ' ');
    } else if (line === '') {
      // An empty line of the file whose space in front got lost, unless it only parts two hunks.
      open.blank += 1;
    } else if (kind === ' ' || kind === '-' || kind === '+') {
      for (; open.blank > 0; open.blank -= 1) open.lines.push({ kind: ' ', text: '' });
      open.lines.push({ kind, text: line.slice(1) });
    } else {
      return `line ${firstLine + at} of the patch is ${JSON.stringify(line.slice(0, 100))}: every line of a hunk begins with a space (it stays), - (it goes) or + (it comes), and a hunk with @@.`;
    }
  }
  close();
  return hunks;
}

const newHunk = () => ({
  anchors: [] as string[],
  hint: undefined as number | undefined,
  lines: [] as Hunk['lines'][number][],
  atEnd: false,
  /** Kinds of the lines that are said to have no line end. */
  ends: [] as string[],
  blank: 0,
});

function finalEnd(ends: readonly string[]): boolean | undefined {
  if (ends.includes('+')) return false;
  return ends.includes('-') ? true : undefined;
}

/** All hunks are looked up in the file as it is; either all of them fit, or none is made. */
export function applyHunks(source: string, hunks: readonly Hunk[], diff: typeof diffArrays): Applied {
  const problems: string[] = [];
  const changes: Change[] = [];
  const finder = createFinder(source);
  const ends = lineEndsOf(source);
  let after = 0;
  for (const [at, hunk] of hunks.entries()) {
    const name = hunks.length === 1 ? 'The hunk' : `Hunk ${at + 1}`;
    const placed = placeOf(source, finder, hunk, after, diff);
    if (typeof placed === 'string') {
      problems.push(`${name}: ${placed}`);
      continue;
    }
    changes.push(changeOf(source, finder, ends, hunk, placed, name, diff));
    after = placed.at + placed.count;
  }
  return together(source, changes, problems);
}

interface Placed {
  /** The line it begins at, from 0. */
  readonly at: number;
  readonly count: number;
  readonly how: Change['how'];
  readonly shift?: Parameters<typeof rewritten>[0]['shift'];
}

function placeOf(
  source: string,
  finder: Finder,
  { anchors, hint, lines, atEnd }: Hunk,
  after: number,
  diff: typeof diffArrays,
): Placed | string {
  const wanted = lines.filter(({ kind }) => kind !== '+').map(({ text }) => text);
  const badText = lines.find(({ kind, text }) => kind === '+' && !text.isWellFormed());
  if (badText !== undefined) return 'a new line has half a character in it (a lone surrogate).';
  if (lines.every(({ kind }) => kind === ' ')) return 'no line of it begins with - or +: it changes nothing.';
  const total = lineCount(source, finder);
  const start = anchorEnd(finder, anchors);
  if (typeof start === 'string') return start;
  if (wanted.length === 0) {
    // Lines that come, and nothing said of those around them.
    const at = anchors.length > 0 ? start : hint !== undefined && !atEnd ? Math.min(hint, total) : total;
    return { at, count: 0, how: 'exact' };
  }
  const found = finder.lines(wanted);
  const all = found.at.map((at, index) => ({
    at,
    count: wanted.length,
    how: found.how,
    shift: found.places[index]?.shift,
  }));
  const ends = atEnd ? all.filter(({ at }) => at + wanted.length >= total) : [];
  const here = ends.length > 0 ? ends : all.filter(({ at }) => at >= start - 1);
  const [first, second] = here;
  if (first === undefined) {
    if (all.length > 0)
      return `its lines are in the file${whereOf(source, found)}, but not below ${anchors.map((anchor) => JSON.stringify(anchor)).join(', ')}.`;
    return `its lines that should be there (with a space or - in front) are not in the file.${nearest(source, wanted.join('\n'), diff, 'the hunk')}`;
  }
  // An anchor says: the first one below.
  if (second === undefined || anchors.length > 0) return first;
  const hinted = here.find(({ at }) => at + 1 === hint);
  if (hinted !== undefined) return hinted;
  const following = here.filter(({ at }) => at >= after);
  return following.length === 1 && following[0] !== undefined && after > 0
    ? following[0]
    : `its lines are in the file ${all.length} times${whereOf(source, found)}. Give more lines around it, or the line above it that is there once: @@ line.`;
}

/** The line below the anchors, each looked for below the one before. */
function anchorEnd(finder: Finder, anchors: readonly string[]): number | string {
  let line = 0;
  for (const anchor of anchors) {
    const { texts } = finder.view();
    const key = anchor.trim();
    const places = texts.flatMap((text, at) => (at >= line && text.trim() === key ? [at] : []));
    const loose =
      places.length > 0 ? places : texts.flatMap((text, at) => (at >= line && text.includes(key) ? [at] : []));
    const [first, second] = loose;
    if (first === undefined)
      return `no line ${JSON.stringify(anchor)} is in the file${line > 0 ? ` below line ${line}` : ''}.`;
    if (second !== undefined && line === 0)
      return `the line ${JSON.stringify(anchor)} is in the file ${loose.length} times (lines ${loose
        .slice(0, 10)
        .map((at) => at + 1)
        .join(', ')}). Name one that is there once, or two: @@ the one further up, @@ the one below.`;
    line = first + 1;
  }
  return line;
}

/** Behind a final line end there is no further line. */
function lineCount(source: string, finder: Finder): number {
  const { texts } = finder.view();
  return source === '' ? 0 : texts.length - (texts.at(-1) === '' ? 1 : 0);
}

function changeOf(
  source: string,
  finder: Finder,
  ends: LineEnds,
  hunk: Hunk,
  { at, count, how, shift }: Placed,
  name: string,
  diff: typeof diffArrays,
): Change {
  const view = finder.view();
  const total = lineCount(source, finder);
  const start = at >= total ? source.length : (view.starts[at] ?? source.length);
  const place = count === 0 ? { start, end: start } : block(view, at, at + count);
  // Only the hunk that holds the last line says how the file ends.
  const finalEnd = place.end === source.length ? hunk.finalEnd : undefined;
  return {
    name,
    place,
    splices: rewritten({ source, ends, place, how, shift, whole: true, finalEnd }, stretchesOf(hunk), diff),
    how,
  };
}

function stretchesOf({ lines }: Hunk): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let from = 0;
  for (let at = 0; at < lines.length; ) {
    const isKept = lines[at]?.kind === ' ';
    const before: string[] = [];
    const texts: string[] = [];
    for (; at < lines.length && (lines[at]?.kind === ' ') === isKept; at += 1) {
      const line = lines[at];
      if (line === undefined) break;
      if (line.kind !== '+') before.push(line.text);
      if (line.kind !== '-') texts.push(line.text);
    }
    stretches.push({ kept: isKept, from, count: before.length, before, texts });
    from += before.length;
  }
  return stretches.filter(({ texts }) => texts.length > 0);
}
