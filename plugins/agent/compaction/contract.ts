import { defineCapability, event, gather } from 'kern/plugin';
import { z } from 'zod';
import type { Message } from '../../models/contract.ts';

export type CompactionReason = 'manual' | 'threshold' | 'overflow';

/** What a compaction did, or, as a preview, would do. Tokens are estimates where no model has counted yet. */
export interface CompactionResult {
  /** Undefined for a preview. */
  readonly entryId: string | undefined;
  readonly strategy: string;
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages that are read as a summary from now on, and those that stay as they were said. */
  readonly summarized: number;
  readonly kept: number;
  /** What is told again word for word, by id. */
  readonly pins: readonly PinnedText[];
}

/** A compaction begins. */
export const compactionStart = event<{ readonly sessionId: string; readonly reason: CompactionReason }>({
  id: 'compaction.start',
});
/** A compaction ended, also one that failed. */
export const compactionEnd = event<{
  readonly sessionId: string;
  readonly reason: CompactionReason;
  readonly result: CompactionResult | undefined;
  readonly error: string | undefined;
}>({ id: 'compaction.end' });
/** Text that a compaction keeps word for word: the plan, the todo list, open jobs. */
export interface PinnedText {
  readonly id: string;
  /** The heading over it. */
  readonly title: string;
  readonly text: string;
}

/** What must outlive a compaction: asked before each, and told to the model again right after the summary. */
export const compactionPins = gather<{ readonly sessionId: string }, PinnedText | readonly PinnedText[]>({
  id: 'compaction.pins',
});

/** What a strategy works on: the part of the branch that will no longer be read as it was said. */
export interface CompactionJob {
  readonly reason: CompactionReason;
  /** To be summarised, oldest first; begins after the previous compaction. Large tool results are pruned already. */
  readonly messages: readonly Message[];
  /** The beginning of a turn whose end stays: told apart, so that the end is understood. */
  readonly turnPrefix: readonly Message[];
  readonly previousSummary: string | undefined;
  readonly tokensBefore: number;
  /** The first entry that stays as it was said. */
  readonly firstKeptEntryId?: string;
  /** What a summary may take. */
  readonly maxTokens: number;
  /** What a request may carry to the model that `ask` asks. What is more has to be told in several. */
  readonly maxInputTokens: number;
  readonly instructions: string | undefined;
  readonly files: { readonly read: readonly string[]; readonly changed: readonly string[] };
  /** Asks the session's model, or the one chosen for this; it is asked for plain text, without tools. */
  readonly ask: (request: {
    readonly system: string;
    readonly text: string;
    readonly maxTokens: number;
  }) => Promise<string>;
}

/** How old words become few. What it throws, or an empty summary, makes kern drop old turns instead, and say so. */
export interface CompactionStrategy {
  readonly id: string;
  readonly summary: string;
  summarize(job: CompactionJob, signal: AbortSignal): Promise<{ readonly summary: string; readonly details?: unknown }>;
}

/** Ways of making old words few. Key: the id, which the setting `plugins.agent.compaction.strategy` names. */
export const compactionStrategies = defineCapability<CompactionStrategy>({
  id: 'compaction-strategy',
  schema: z.custom<CompactionStrategy>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'id' in value &&
      typeof value.id === 'string' &&
      'summarize' in value &&
      typeof value.summarize === 'function',
    'a compaction strategy is {id, summary, summarize(job, signal)}',
  ),
  key: (strategy) => strategy.id,
});
