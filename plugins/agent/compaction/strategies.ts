import { compactionStrategies } from 'kern/contracts';
import type { Context } from 'kern/plugin';
import { summaryStrategy } from './summary.ts';
import { truncateStrategy } from './truncate.ts';

/** Offers kern's own ways of making old words few. */
export function contributeStrategies(ctx: Pick<Context, 'contribute'>): void {
  ctx.contribute(compactionStrategies, summaryStrategy);
  ctx.contribute(compactionStrategies, truncateStrategy);
}
