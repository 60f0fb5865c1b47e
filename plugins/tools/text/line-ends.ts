export type LineEnd = '\n' | '\r\n' | '\r';

const anyEnd = /\r\n|\n|\r/g;

/** The line ends of a text, with how often each is there. */
export function countLineEnds(text: string): ReadonlyMap<LineEnd, number> {
  const counts = new Map<LineEnd, number>();
  for (const [end] of text.matchAll(anyEnd)) counts.set(end as LineEnd, (counts.get(end as LineEnd) ?? 0) + 1);
  return counts;
}

/** The line end that is there most; the first of equals. */
export function commonestLineEnd(text: string): LineEnd | undefined {
  return [...countLineEnds(text)].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** The text with one line end for all. */
export const withLineEnd = (text: string, end: LineEnd): string => text.replaceAll(anyEnd, end);

/**
 * A text that was written with plain LF, for a file that has other line ends: the lines it keeps at its beginning and
 * at its end keep theirs, all others take the commonest. A text that has CRs itself is meant as it is.
 */
export function withLineEndsOf(text: string, before: string): string {
  const counts = countLineEnds(before);
  const commonest = commonestLineEnd(before);
  if (text.includes('\r') || commonest === undefined || (counts.size === 1 && commonest === '\n')) return text;
  if (counts.size === 1) return withLineEnd(text, commonest);
  const old = linesWithEnds(before);
  const lines = linesWithEnds(text);
  let head = 0;
  while (head < old.length && head < lines.length && old[head]?.text === lines[head]?.text) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < lines.length - head &&
    old.at(-1 - tail)?.text === lines.at(-1 - tail)?.text
  )
    tail += 1;
  const made = lines
    .map((line, at) => {
      const kept = at < head ? old[at] : at >= lines.length - tail ? old[old.length - lines.length + at] : undefined;
      return line.text + (line.end === '' ? '' : kept === undefined || kept.end === '' ? commonest : kept.end);
    })
    .join('');
  // A CR before an empty line that ends with LF would be one line end with it.
  return withLineEnd(made, '\n') === text ? made : withLineEnd(text, commonest);
}

function linesWithEnds(text: string): readonly { readonly text: string; readonly end: string }[] {
  const lines: { text: string; end: string }[] = [];
  let from = 0;
  for (const { index, 0: end } of text.matchAll(anyEnd)) {
    lines.push({ text: text.slice(from, index), end });
    from = index + end.length;
  }
  return [...lines, { text: text.slice(from), end: '' }];
}

/** As people call it. */
export const lineEndName = (end: LineEnd): string => ({ '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' })[end];
