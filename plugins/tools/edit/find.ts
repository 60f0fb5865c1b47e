import { indentOf, type Shift, shiftBetween } from './indent.ts';
import { linesOf, type Place } from './lines.ts';
import { isAscii, normalLine, originOf, type Tolerance } from './normal.ts';

/** What had to be overlooked to find a text. */
export type How = 'exact' | Tolerance | 'indent';

export interface Found {
  readonly how: How;
  readonly places: readonly (Place & { readonly shift?: Shift })[];
}

/** More than these are not told apart: the text is anything but unique. */
const most = 20;

export interface Finder {
  /** A text, anywhere. `all`: every place that does not overlap the one before. */
  text(wanted: string, all?: boolean): Found;
  /** Whole lines, one below the other. */
  lines(wanted: readonly string[]): Found & { readonly at: readonly number[] };
  /** The lines of the file. */
  readonly view: () => Lines;
}

/** Where each line starts, where its text ends and where the next one starts. */
export interface Lines {
  readonly texts: readonly string[];
  readonly starts: readonly number[];
  /** Behind the line end. */
  readonly ends: readonly number[];
}

/** Looks for texts in one file: as they are, and only where that finds nothing, step by step less strictly. */
export function createFinder(source: string): Finder {
  const view = once(() => viewOf(source));
  const spaces = once(() => formOf(view(), 'spaces'));
  // Plain text has no signs that look like others.
  const forms = { spaces, signs: once(() => (isAscii(source) ? spaces() : formOf(view(), 'signs'))) };
  const bare = once(() => forms.signs().texts.map((text) => text.slice(indentOf(text).length)));
  return {
    view,
    text(wanted, all = false) {
      const exact = wholeEnds(source, occurrences(source, wanted, all), wanted.endsWith('\r'));
      if (exact.length > 0) return { how: 'exact', places: exact };
      for (const tolerance of ['spaces', 'signs'] as const) {
        const places = findIn(forms[tolerance](), view(), wanted, tolerance, all);
        if (places.length > 0) return { how: tolerance, places };
      }
      return { how: 'indent', places: indented(wanted, view(), forms.signs(), bare()) };
    },
    lines(wanted) {
      const { texts } = view();
      const blocks = (at: readonly number[]): readonly Place[] =>
        at.map((line) => block(view(), line, line + wanted.length));
      const exact = runs(texts, wanted);
      if (exact.length > 0) return { how: 'exact', at: exact, places: blocks(exact) };
      for (const tolerance of ['spaces', 'signs'] as const) {
        const at = runs(forms[tolerance]().texts, normals(wanted, tolerance));
        if (at.length > 0) return { how: tolerance, at, places: blocks(at) };
      }
      const plain = normals(wanted, 'signs');
      const shifts = shiftedRuns(plain, forms.signs().texts, bare());
      return {
        how: 'indent',
        at: shifts.map(({ at }) => at),
        places: shifts.map(({ at, shift }) => ({ ...block(view(), at, at + wanted.length), shift })),
      };
    },
  };
}

/** From the start of line `from` to the start of line `to`. */
export function block({ starts, ends }: Lines, from: number, to: number): Place {
  const end = ends[to - 1] ?? 0;
  return { start: starts[from] ?? end, end: Math.max(starts[from] ?? end, end) };
}

function viewOf(source: string): Lines {
  const texts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const { text, end } of linesOf(source)) {
    texts.push(text);
    starts.push(at);
    at += text.length + end.length;
    ends.push(at);
  }
  return { texts, starts, ends };
}

const normals = (lines: readonly string[], tolerance: Tolerance): readonly string[] =>
  lines.map((line) => normalLine(line, tolerance).text);

function occurrences(source: string, wanted: string, all: boolean): readonly Place[] {
  const places: Place[] = [];
  // Overlapping ones count too, unless all are meant: `aa` is not unique in `aaa`.
  for (
    let at = source.indexOf(wanted);
    at !== -1 && (all || places.length < most);
    at = source.indexOf(wanted, all ? at + wanted.length : at + 1)
  )
    places.push({ start: at, end: at + wanted.length });
  return places;
}

/**
 * A CRLF is one thing, and so is a pair of surrogates: a place does not begin or end in the middle of it. But whoever
 * names the CR alone means it alone.
 */
function wholeEnds(source: string, places: readonly Place[], endsWithReturn: boolean): readonly Place[] {
  const splits = (at: number): boolean => source[at - 1] === '\r' && source[at] === '\n';
  return places
    .filter(({ start, end }) => !splitsPair(source, start) && !splitsPair(source, end))
    .map(({ start, end }) => ({
      start: splits(start) ? start - 1 : start,
      end: splits(end) && !endsWithReturn ? end + 1 : end,
    }));
}

export const splitsPair = (source: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(source[at - 1] ?? '') && /[\udc00-\udfff]/.test(source[at] ?? '');

/** The file with every line end as LF and every line in its compared form. */
interface Form {
  readonly tolerance: Tolerance;
  readonly text: string;
  readonly starts: readonly number[];
  readonly texts: readonly string[];
}

function formOf({ texts }: Lines, tolerance: Tolerance): Form {
  const compared = normals(texts, tolerance);
  const starts: number[] = [];
  let at = 0;
  for (const text of compared) {
    starts.push(at);
    at += text.length + 1;
  }
  return { tolerance, text: compared.join('\n'), starts, texts: compared };
}

function findIn(form: Form, view: Lines, wanted: string, tolerance: Tolerance, all: boolean): readonly Place[] {
  const lines = linesOf(wanted);
  const texts = normals(
    lines.map((line) => line.text),
    tolerance,
  );
  const simple = texts.join('\n');
  if (simple.trim() === '') return [];
  // Where something was trimmed away at the rim of the wanted text, the rim has to be the rim of a line as well.
  const needsStart = texts[0] === '' && lines[0]?.text !== '';
  const needsEnd = hasTail(lines.at(-1)?.text ?? '', tolerance);
  return occurrences(form.text, simple, all)
    .filter(
      ({ start, end }) =>
        (!needsStart || start === 0 || form.text[start - 1] === '\n') &&
        (!needsEnd || end === form.text.length || form.text[end] === '\n'),
    )
    .flatMap(({ start, end }) => {
      const from = toOrigin(form, view, start);
      const to = toOrigin(form, view, end);
      return from === undefined || to === undefined ? [] : [{ start: from, end: to }];
    });
}

const hasTail = (line: string, tolerance: Tolerance): boolean => {
  const { text } = normalLine(line, tolerance);
  return normalLine(`${line}|`, tolerance).text.length > text.length + 1;
};

function toOrigin({ starts, tolerance }: Form, view: Lines, at: number): number | undefined {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  const within = originOf(normalLine(view.texts[low] ?? '', tolerance), at - (starts[low] ?? 0));
  return within === undefined ? undefined : (view.starts[low] ?? 0) + within;
}

/** Whole lines that are further in or out than they were given, all of them by the same. */
function indented(wanted: string, view: Lines, form: Form, bare: readonly string[]): Found['places'] {
  const lines = linesOf(wanted);
  const texts = lines.map((line) => line.text);
  // What begins or ends with a line end takes that of the line before or its own with it.
  const fromEnd = texts.length > 1 && texts[0] === '';
  const toStart = texts.length > 1 && texts.at(-1) === '';
  const inner = normals(texts.slice(fromEnd ? 1 : 0, toStart ? -1 : undefined), 'signs');
  return shiftedRuns(inner, form.texts, bare).flatMap(({ at, shift }) => {
    const last = at + inner.length - 1;
    const start = fromEnd ? (view.starts[at - 1] ?? -1) + (view.texts[at - 1]?.length ?? 0) : view.starts[at];
    if (start === undefined || start < 0) return [];
    const text = form.texts[last] ?? '';
    const textEnd =
      (view.starts[last] ?? 0) + (originOf(normalLine(view.texts[last] ?? '', form.tolerance), text.length) ?? 0);
    return [{ start, end: toStart ? (view.ends[last] ?? textEnd) : textEnd, shift }];
  });
}

function shiftedRuns(
  wanted: readonly string[],
  there: readonly string[],
  bare: readonly string[],
): readonly { readonly at: number; readonly shift: Shift }[] {
  const stripped = wanted.map((line) => line.slice(indentOf(line).length));
  if (stripped.every((line) => line === '')) return [];
  return runs(bare, stripped).flatMap((at) => {
    const pairs = stripped.flatMap((line, index) =>
      line === '' ? [] : [[indentOf(wanted[index] ?? ''), indentOf(there[at + index] ?? '')] as const],
    );
    const shift = shiftBetween(pairs);
    return shift === undefined ? [] : [{ at, shift }];
  });
}

/** Where the wanted lines stand one below the other: Knuth, Morris and Pratt over lines. */
function runs(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const found: number[] = [];
  if (wanted.length === 0) return found;
  const back = [0];
  for (let at = 1, length = 0; at < wanted.length; ) {
    if (wanted[at] === wanted[length]) {
      length += 1;
      back[at] = length;
      at += 1;
    } else if (length > 0) {
      length = back[length - 1] ?? 0;
    } else {
      back[at] = 0;
      at += 1;
    }
  }
  for (let at = 0, length = 0; at < lines.length && found.length < most; ) {
    if (lines[at] === wanted[length]) {
      at += 1;
      length += 1;
      if (length === wanted.length) {
        found.push(at - length);
        length = back[length - 1] ?? 0;
      }
    } else if (length > 0) {
      length = back[length - 1] ?? 0;
    } else {
      at += 1;
    }
  }
  return found;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
