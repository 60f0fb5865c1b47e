import { type CompactionJob, type CompactionReason, compactionStrategies, sessionBeforeCompact } from 'kern/contracts';
import { codeOf, type Entry, KernError, messageOf, type View } from 'kern/plugin';
import type { CompactionStrategy } from './contract.ts';
import { truncateStrategy } from './strategies.ts';
import { droppedNote } from './truncate.ts';

/** What old words came to, and who made it. */
export interface SumUp {
  readonly strategy: string;
  readonly summary: string;
  readonly details: unknown;
  /** A plugin gave it in place of the strategy. */
  readonly fromHook: boolean;
  /** Why it is not what was asked for. */
  readonly warning: string | undefined;
}

export interface SumUpParts {
  readonly view: View;
  readonly sessionId: string;
  readonly reason: CompactionReason;
  /** The strategy that the settings name, or that was asked for this once. */
  readonly strategy: string;
  readonly job: CompactionJob;
  /** Whether a summary makes the context smaller. */
  readonly shrinks: (summary: string) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Asks the plugins, then the strategy. What fails, comes out empty or is no shorter than what it sums up gives way to
 * dropping the old words, which needs nobody.
 */
export async function summedUp(parts: SumUpParts): Promise<SumUp> {
  const { view, sessionId, reason, job, signal } = parts;
  const answer = await view.call(sessionBeforeCompact, { sessionId, reason, job });
  signal.throwIfAborted();
  if (answer !== undefined && 'refuse' in answer)
    throw new KernError('compaction_refused', `a plugin refused to compact the session: ${answer.refuse}`);
  try {
    const made: SumUp =
      answer === undefined
        ? await byStrategy(parts)
        : { strategy: 'plugin', ...answer, details: answer.details, fromHook: true, warning: undefined };
    return checked(made, parts.shrinks);
  } catch (error) {
    if (signal.aborted) throw error;
    return dropped(parts, error);
  }
}

async function byStrategy({ view, strategy: wanted, job, signal }: SumUpParts): Promise<SumUp> {
  const strategy = await strategyOf(view, wanted);
  const { summary, details } = await view.run(strategy, (item) => item.summarize(job, signal));
  return { strategy: strategy.item.id, summary, details, fromHook: false, warning: undefined };
}

/** The strategy of that name. */
export async function strategyOf(view: View, id: string): Promise<Entry<CompactionStrategy>> {
  const known = view.use(compactionStrategies);
  await known.load();
  const entry = known.get(id);
  if (entry !== undefined) return entry;
  const ids = known.items().map((strategy) => strategy.id);
  throw new KernError('compaction_strategy_unknown', `there is no compaction strategy ${id}`, {
    hint: `one of ${ids.join(', ')} (plugins.agent.compaction.strategy)`,
  });
}

function checked(made: SumUp, shrinks: SumUpParts['shrinks']): SumUp {
  // A strategy is a stranger's code: what it gives is looked at.
  if (typeof made.summary !== 'string' || made.summary.trim() === '')
    throw new KernError('summary_unusable', `the summary of ${made.strategy} is empty`);
  if (!shrinks(made.summary))
    throw new KernError('summary_unusable', `the summary of ${made.strategy} is no shorter than what it sums up`);
  return made;
}

function dropped({ job, shrinks }: SumUpParts, error: unknown): SumUp {
  const summary = droppedNote(job);
  const why = messageOf(error);
  if (!shrinks(summary))
    throw new KernError(codeOf(error) ?? 'compaction_failed', `${why}; to drop the old messages would save nothing`, {
      cause: error,
    });
  const warning = `${why}. The oldest messages were dropped instead of summed up`;
  return { strategy: truncateStrategy.id, summary, details: undefined, fromHook: false, warning };
}
