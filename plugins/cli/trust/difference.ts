import type { TrustChanges } from 'kern/contracts';
import { visible } from 'kern/plugin';

/** More of one item is no reading any more. */
const most = 400;

/** What of an item changed, as lines that no terminal obeys: a part each, and below it what was there and what is. */
export async function changeLines({ changes }: TrustChanges): Promise<readonly string[]> {
  const { structuredPatch } = await import('diff');
  const lines = changes.flatMap(({ part, change, before, after }) => {
    const head = `${visible(part)} ${change}`;
    const isKnown = change === 'added' ? after !== undefined : change === 'removed' ? before !== undefined : true;
    if (!isKnown || (change === 'changed' && (before === undefined || after === undefined)))
      return [`${head} (its text is not kept: too long, or none)`];
    const { hunks } = structuredPatch('', '', before ?? '', after ?? '', '', '', { context: 2 });
    return [head, ...hunks.flatMap((hunk) => hunk.lines.map((line) => `  ${visible(line)}`))];
  });
  return lines.length <= most ? lines : [...lines.slice(0, most), `… and ${lines.length - most} lines more`];
}
