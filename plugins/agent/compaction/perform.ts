import { abortError, type CompactionReason, type CompactionResult, sessionCompact } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { unlessAborted } from '../runner-abort.ts';
import { type Budget, budgetOf } from './budget.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { assertWritable, type CompactOptions, type CompactorParts } from './parts.ts';
import { askedPins } from './pins.ts';
import { type Ground, planOf } from './plan.ts';
import { editEntry } from './prune.ts';
import { nothingToCompact } from './report.ts';
import { strategyOf } from './sum-up.ts';
import { tellAround } from './tell.ts';
import { type Measured, type Tokens, textTokens } from './tokens.ts';

export interface Performance {
  readonly parts: CompactorParts;
  readonly measure: { readonly tokens: Tokens; readonly measured: () => Measured };
  readonly reason: CompactionReason;
  readonly options: CompactOptions;
  readonly signal: AbortSignal;
}

/** One compaction, from what plugins pin to the entry that says it. */
export async function perform(performance: Performance): Promise<CompactionResult> {
  const { parts, reason, options, signal } = performance;
  const { view, broadcast, sessionId, settings } = parts;
  if (options.preview !== true) assertWritable(parts);
  if (options.strategy !== undefined) await strategyOf(view(), options.strategy);
  const pins = await unlessAborted(askedPins(view(), sessionId()), signal);
  if (pins === undefined) throw abortError();
  const ground = groundOf(performance, textTokens(JSON.stringify(pins)));
  const work = async (): Promise<{ result: CompactionResult; warning: string | undefined }> => {
    const outcome = await unlessAborted(outcomeOf(parts, ground, pins, options, signal), signal);
    if (outcome === undefined || signal.aborted) throw abortError();
    if (options.preview === true)
      return { result: { entryId: undefined, ...outcome.result }, warning: outcome.warning };
    const result = write(parts, ground, outcome);
    return { result, warning: outcome.warning };
  };
  if (options.preview === true) return (await work()).result;
  if (reason === 'manual' && planOf(ground) === undefined) throw nothingToCompact(ground);
  const strategy = options.strategy ?? settings().compaction.strategy;
  return tellAround({ view: view(), broadcast, sessionId: sessionId(), reason, strategy, signal }, work);
}

function groundOf({ parts, measure, reason }: Performance, pinned: number): Ground {
  const { conversation, head, model, settings } = parts;
  const { compaction } = settings();
  const budget = budgetOf(model(), compaction);
  const entries = conversation.contextEntries();
  const measured = measure.measured();
  return {
    entries,
    tokens: measure.tokens,
    head: head(),
    budget,
    settings: compaction,
    measured: reason === 'overflow' ? overfull(measured, budget) : measured,
    reason,
    pinned,
  };
}

/** All at once: nothing else comes between, and what was stopped before has changed nothing. */
function write(parts: CompactorParts, ground: Ground, { edits, entry, result }: Outcome): CompactionResult {
  const { conversation, view, sessionId } = parts;
  assertStillThere(parts, ground, result.firstKeptEntryId);
  const entryId = conversation.write(entry(edits.map((edit) => conversation.write(editEntry(edit)))));
  conversation.rebuild();
  const kept = { entryId, ...result };
  view().call(sessionCompact, { sessionId: sessionId(), reason: ground.reason, result: kept });
  return kept;
}

/** While a summary was written the session may have gone on elsewhere: in another file, on another branch. */
function assertStillThere({ conversation }: CompactorParts, { entries }: Ground, firstKept: string): void {
  const now = conversation.contextEntries();
  if (now[0]?.entryId === entries[0]?.entryId && now.some(({ entryId }) => entryId === firstKept)) return;
  throw new KernError('compaction_stale', 'the session went on elsewhere while it was summed up', {
    hint: 'compact it again',
  });
}

/** The model has said that it is full, whatever was counted. */
function overfull(measured: Measured, { window }: Budget): Measured {
  const tokens = Math.max(measured.tokens, window);
  return { ...measured, tokens, ratio: Math.min(4, Math.max(measured.ratio, tokens / Math.max(1, measured.estimate))) };
}
