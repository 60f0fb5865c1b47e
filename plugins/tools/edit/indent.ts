/** How the indentation of the file differs from that of the text that was looked for. */
export type Shift =
  | { readonly kind: 'deeper' | 'shallower'; readonly unit: string }
  /** Tabs for spaces or the other way round, `width` columns each, and `by` columns further in. */
  | { readonly kind: 'columns'; readonly width: number; readonly by: number; readonly tabs: boolean };

export const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? '';

const unit = /^(?:\t| {1,8})$/;

/** The one shift, of one unit at most, that leads from every wanted indentation to the one that is there. */
export function shiftBetween(pairs: readonly (readonly [wanted: string, there: string])[]): Shift | undefined {
  const [first] = pairs;
  if (first === undefined) return undefined;
  const [wanted, there] = first;
  const more = there.slice(0, Math.max(0, there.length - wanted.length));
  if (unit.test(more) && pairs.every(([a, b]) => b === more + a)) return { kind: 'deeper', unit: more };
  const less = wanted.slice(0, Math.max(0, wanted.length - there.length));
  if (unit.test(less) && pairs.every(([a, b]) => a === less + b)) return { kind: 'shallower', unit: less };
  for (const width of [2, 4, 8, 3]) {
    const by = columns(there, width) - columns(wanted, width);
    if (Math.abs(by) !== width && by !== 0) continue;
    if (pairs.every(([a, b]) => columns(b, width) - columns(a, width) === by))
      return { kind: 'columns', width, by, tabs: pairs.some(([, b]) => b.includes('\t')) };
  }
  return undefined;
}

function columns(indent: string, width: number): number {
  let column = 0;
  for (const character of indent) column += character === '\t' ? width - (column % width) : 1;
  return column;
}

/** A new line as it stands in the file. */
export function shifted(line: string, shift: Shift): string {
  const indent = indentOf(line);
  const rest = line.slice(indent.length);
  if (rest === '') return line;
  switch (shift.kind) {
    case 'deeper':
      return shift.unit + line;
    case 'shallower':
      // A line that was given with less than a unit is at the rim in both.
      return indent.startsWith(shift.unit) ? line.slice(shift.unit.length) : rest;
    case 'columns': {
      const wide = Math.max(0, columns(indent, shift.width) + shift.by);
      return shift.tabs
        ? '\t'.repeat(Math.floor(wide / shift.width)) + ' '.repeat(wide % shift.width) + rest
        : ' '.repeat(wide) + rest;
    }
  }
}
