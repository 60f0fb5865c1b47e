/** Changed lines that are shown of one edit. */
const mostLines = 16;

/** The changed lines of an edit, from the unified diff in its details, with a line around them. None for other results. */
export function shortDiff(details: unknown): readonly string[] {
  const patch = patchOf(details);
  if (patch === undefined) return [];
  // What stands before the first hunk names the files.
  const lines = patch.slice(Math.max(0, patch.search(/^@@/m))).split('\n');
  const body = lines.filter((line) => /^[-+ @]/.test(line));
  const near = body.filter((line, index) =>
    line.startsWith('@@') ? index > 0 : isChange(line) || isChange(body[index - 1]) || isChange(body[index + 1]),
  );
  const shown = near.slice(0, mostLines).map((line) => (line.startsWith('@@') ? '…' : line));
  return near.length > mostLines ? [...shown, `… ${near.length - mostLines} more lines`] : shown;
}

const isChange = (line: string | undefined): boolean => line !== undefined && /^[-+]/.test(line);

function patchOf(details: unknown): string | undefined {
  return typeof details === 'object' && details !== null && 'patch' in details && typeof details.patch === 'string'
    ? details.patch
    : undefined;
}
