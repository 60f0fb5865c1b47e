import type { CompactionJob, CompactionResult, ContextMessage, NewEntry, PinnedText } from 'kern/contracts';
import { asker } from './ask.ts';
import { summaryTokens } from './budget.ts';
import { isSummary } from './cut.ts';
import { detailsOf, noPrevious, type Previous, type PrunedData, previousOf, prunedType } from './details.ts';
import { collectFiles } from './files.ts';
import { type CompactOptions, type CompactorParts, summarizerOf } from './parts.ts';
import { ownPins, withPins } from './pins.ts';
import { estimateAfter, forStrategy, type Ground, type Plan, planOf, pruneAlone, shortenAlone } from './plan.ts';
import { type Edit, savedBy } from './prune.ts';
import { nothingToCompact } from './report.ts';
import { requestsOf } from './requests.ts';
import { summedUp } from './sum-up.ts';
import { imageTokens } from './tokens.ts';

/** What a compaction comes to: what is to be written, and what is told of it. */
export interface Outcome {
  readonly result: Omit<CompactionResult, 'entryId'>;
  /** What did not go as it was meant. */
  readonly warning: string | undefined;
  readonly edits: readonly Edit[];
  /** The entry that says it, given the ids of the edits. */
  readonly entry: (edits: readonly string[]) => NewEntry;
}

/** Finds the mildest thing that makes enough room. Changes nothing. `asked` is what plugins pin. */
export async function outcomeOf(
  parts: CompactorParts,
  ground: Ground,
  asked: readonly PinnedText[],
  options: CompactOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const old = pruneAlone(ground);
  if (old !== undefined) return pruned(ground, old);
  const plan = planOf(ground);
  if (plan !== undefined) return summed(parts, ground, plan, asked, options, signal);
  const short = shortenAlone(ground);
  if (short !== undefined) return pruned(ground, short);
  throw nothingToCompact(ground);
}

async function summed(
  parts: CompactorParts,
  ground: Ground,
  plan: Plan,
  asked: readonly PinnedText[],
  options: CompactOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const { entries, reason, measured, budget } = ground;
  const { start, first } = plan.cut;
  const entry = (id: string) => parts.store().entry(id);
  const previous = previousBefore(entries[0], entry);
  const files = collectFiles(
    previous.files,
    entries.slice(start, first).map(({ message }) => message),
  );
  const room = (budget.limit / measured.ratio) * 0.25;
  const requests = requestsOf({ entries, first, before: previous.requests, entry, room });
  const pins = [...ownPins(requests, files), ...asked];
  const summarizer = await summarizerOf(parts, options.model, signal);
  const view = parts.view();
  const sessionId = parts.sessionId();
  const retry = () => parts.settings().retry;
  const asking = asker({ view, model: summarizer.model, sessionId, retry, signal });
  const job = { ...jobOf(ground, plan, summarizer.model, previous, options), files, ask: asking.ask };
  const after = (summary: string): number =>
    estimateAfter(ground, plan, withPins(summary, pins)) + requests.images.length * imageTokens;
  const made = await summedUp({
    view,
    sessionId,
    reason,
    strategy: options.strategy ?? parts.settings().compaction.strategy,
    job,
    // Who asks for a summary gets one, also of little.
    shrinks: (summary) => reason === 'manual' || after(summary) < measured.estimate * 0.95,
    signal,
  });
  const { strategy, summary } = made;
  const firstKeptEntryId = entries[first]?.entryId as string; // a cut is at an entry
  const tokensBefore = Math.round(measured.tokens);
  return {
    result: {
      strategy,
      summary,
      firstKeptEntryId,
      tokensBefore,
      tokensAfter: Math.round(after(summary) * measured.ratio),
      summarized: first - start,
      kept: entries.length - first,
      pins,
    },
    warning: [summarizer.warning, made.warning].filter((part) => part !== undefined).join('; ') || undefined,
    edits: plan.edits,
    entry: (edits) => ({
      type: 'compaction',
      summary: withPins(summary, pins),
      firstKeptEntryId,
      tokensBefore,
      details: detailsOf(files, { strategy, summary, pins, requests, edits, usage: asking.usage() }, made.details),
      ...(made.fromHook ? { fromHook: true } : {}),
    }),
  };
}

function jobOf(
  { entries, reason, measured, budget, settings }: Ground,
  { cut: { start, turn, first } }: Plan,
  model: Parameters<typeof summaryTokens>[0],
  previous: Previous,
  { instructions }: CompactOptions,
): Omit<CompactionJob, 'files' | 'ask'> {
  const reserve = Math.min(settings.reserveTokens, Math.floor(model.contextWindow / 2));
  return {
    reason,
    messages: forStrategy(entries.slice(start, turn)),
    turnPrefix: forStrategy(entries.slice(turn, first)),
    previousSummary: previous.summary,
    tokensBefore: measured.tokens,
    ...(entries[first]?.entryId === undefined ? {} : { firstKeptEntryId: entries[first].entryId }),
    maxTokens: Math.min(budget.summary, summaryTokens(model, reserve)),
    // What was counted so far says how far off estimates are.
    maxInputTokens: Math.floor(model.contextWindow / Math.max(1, measured.ratio)),
    instructions,
  };
}

function previousBefore(
  first: ContextMessage | undefined,
  entry: (id: string) => Parameters<typeof previousOf>[0],
): Previous {
  return isSummary(first) && first?.entryId !== undefined ? previousOf(entry(first.entryId)) : noPrevious;
}

/** Results are shorter or left out, and nothing is summed up. */
function pruned({ entries, measured }: Ground, edits: readonly Edit[]): Outcome {
  const tokensBefore = Math.round(measured.tokens);
  const tokensAfter = Math.round(measured.tokens - savedBy(edits) * measured.ratio);
  return {
    result: {
      strategy: 'prune',
      summary: '',
      firstKeptEntryId: entries.find(({ entryId }) => entryId !== undefined)?.entryId ?? '',
      tokensBefore,
      tokensAfter,
      summarized: 0,
      kept: entries.length,
      pins: [],
    },
    warning: undefined,
    edits,
    entry: (ids) => {
      const data: PrunedData = { edits: ids, tokensBefore, tokensAfter };
      return { type: 'custom', customType: prunedType, data };
    },
  };
}
