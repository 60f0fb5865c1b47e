import { type CompactionStrategy, compactionStrategies } from 'kern/contracts';
import type { Context } from 'kern/plugin';

/** A model writes notes on what was said, and brings them up to date at each further compaction. */
export const summaryStrategy: CompactionStrategy = {
  id: 'summary',
  summary: 'A model writes notes on what was said before.',
  summarize: async (job, signal) => (await import('./summary.ts')).summarize(job, signal),
};

/** Drops what was said before, with a note and what the person had asked for. Asks no model, so it cannot fail. */
export const truncateStrategy: CompactionStrategy = {
  id: 'truncate',
  summary: 'What was said before is dropped; what the person asked for is listed.',
  summarize: async (job) => ({ summary: (await import('./truncate.ts')).droppedNote(job) }),
};

/** Offers kern's own ways of making old words few. */
export function contributeStrategies(ctx: Pick<Context, 'contribute'>): void {
  ctx.contribute(compactionStrategies, summaryStrategy);
  ctx.contribute(compactionStrategies, truncateStrategy);
}
