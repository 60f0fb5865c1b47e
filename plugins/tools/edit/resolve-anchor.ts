import type { Alignment } from './fresh.ts';
import { type Anchor, type Resolver, tagOf } from './hash-lines.ts';
import type { Run } from './seen.ts';

export interface Anchors {
  readonly resolve: Resolver;
  /** The lines to show instead, after an anchor that is of no use. */
  stale(): Run | undefined;
}

const around = 3;

/**
 * Leads from a line as it was shown to where it is now. It is the same line if all of its text is, and a range if
 * all lines of it are and stand as they stood: numbers and tags alone say nothing of the file that they were taken from.
 */
export function resolverOf(fresh: readonly string[], alignments: readonly Alignment[]): Anchors {
  let stale: { from: number; to: number } | undefined;
  const show = (line: number): void => {
    const from = Math.max(1, Math.min(line, fresh.length) - around);
    const to = Math.min(fresh.length, line + around);
    // Of anchors far apart each has lines around it; more than a page is for read to show.
    stale =
      stale === undefined
        ? { from, to }
        : Math.max(stale.to, to) - Math.min(stale.from, from) > 200
          ? stale
          : { from: Math.min(stale.from, from), to: Math.max(stale.to, to) };
  };
  const find = (
    anchor: Anchor,
  ): { readonly line: number; readonly segment: Alignment['segments'][number] } | string => {
    const { line, tag } = anchor;
    const alignment = alignments.find(({ run }) => line >= run.from && line < run.from + run.lines.length);
    const text = alignment?.run.lines[line - alignment.run.from];
    if (alignment === undefined || text === undefined) {
      show(line);
      return fresh.length === 0
        ? 'the file is empty: use "prepend".'
        : `line ${line} was not shown to you${line > fresh.length ? `; the file has ${fresh.length}` : ''}. Nothing is edited unseen.`;
    }
    const segment = alignment.segments.find(({ seen, count }) => line >= seen && line < seen + count);
    const now = segment === undefined ? line : segment.fresh + line - segment.seen;
    if (tag !== tagOf(text, line)) {
      show(now);
      return `${line}#${tag} is no line that was shown: line ${line} was ${line}#${tagOf(text, line)}.`;
    }
    if (segment === undefined) {
      show(line);
      return `line ${line} has changed since it was shown.`;
    }
    return { line: now, segment };
  };
  return {
    resolve(anchor, through = anchor) {
      const from = find(anchor);
      if (typeof from === 'string') return from;
      const to = through === anchor ? from : find(through);
      if (typeof to === 'string') return to;
      const isWhole =
        from.segment === to.segment ||
        (to.line - from.line === through.line - anchor.line && joins(alignments, from, to));
      if (!isWhole) {
        show(from.line);
        show(to.line);
        return `the lines ${anchor.line} to ${through.line} are not as they were shown.`;
      }
      return { from: from.line, to: to.line };
    },
    stale: () => (stale === undefined ? undefined : { from: stale.from, lines: fresh.slice(stale.from - 1, stale.to) }),
  };
}

/** Every line between is one that was shown, at the same distance: pages that were read one after the other. */
function joins(
  alignments: readonly Alignment[],
  from: { readonly line: number },
  to: { readonly line: number },
): boolean {
  const segments = alignments.flatMap((alignment) => alignment.segments);
  for (let line = from.line; line <= to.line; ) {
    const at = line;
    const segment = segments.find(({ fresh, count }) => at >= fresh && at < fresh + count);
    if (segment === undefined) return false;
    line = segment.fresh + segment.count;
  }
  return true;
}
