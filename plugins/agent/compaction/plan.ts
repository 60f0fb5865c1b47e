import type { CompactionReason, ContextMessage, Message } from 'kern/contracts';
import type { Budget, CompactionSettings } from './budget.ts';
import { type Cut, findCut, firstOwn } from './cut.ts';
import { type Edit, fitResults, leaveOutResults, savedBy, shortText } from './prune.ts';
import { type Measured, type SentHead, type Tokens, textTokens } from './tokens.ts';

/** What a compaction goes by. Tokens of `measured` and `budget` are real, those of everything else are estimates. */
export interface Ground {
  readonly entries: readonly ContextMessage[];
  readonly tokens: Tokens;
  readonly head: SentHead;
  readonly budget: Budget;
  readonly settings: CompactionSettings;
  readonly measured: Measured;
  readonly reason: CompactionReason;
  /** What is told again word for word, by estimate. */
  readonly pinned: number;
}

export interface Plan {
  readonly cut: Cut;
  /** Results within what stays that have to be shorter. */
  readonly edits: readonly Edit[];
}

/** Newer results than these stay as they are when leaving out old ones may be enough. */
const protectedResults = 40_000;
/** Every change of what was sent makes the next request dearer: it has to be worth it. */
const leastPruned = 20_000;
/** Of the limit: what is summed up has to be more than that, or the next turn would be at the same point again. */
const leastGain = 0.05;
/** What a result may be in what is given to a strategy. */
const resultTokens = 2_000;

/** Old results to leave out, if that alone makes enough room; undefined if not. */
export function pruneAlone({ entries, tokens, budget, measured, reason }: Ground): readonly Edit[] | undefined {
  if (reason === 'manual') return undefined;
  const protect = Math.min(protectedResults, budget.limit / 4) / measured.ratio;
  const edits = leaveOutResults(entries, tokens, { from: firstOwn(entries), protect });
  const saved = savedBy(edits) * measured.ratio;
  if (saved < Math.min(leastPruned, budget.limit * 0.15)) return undefined;
  return measured.tokens - saved <= budget.limit * 0.9 ? edits : undefined;
}

/** What to sum up and what to leave; undefined where summing up would gain nothing. */
export function planOf(ground: Ground): Plan | undefined {
  const { entries, tokens, budget, settings, measured, reason } = ground;
  const { ratio } = measured;
  const start = firstOwn(entries);
  const own = tokens.sum(entries, start);
  const free = Math.max(0, budget.limit / ratio - fixedTokens(ground));
  const wanted = settings.keepRecentTokens / ratio;
  // Who asks for it, or has to, wants less than there is, however little that is.
  const keep = Math.min(wanted, free * 0.5, reason === 'threshold' ? Number.POSITIVE_INFINITY : own / 2);
  const room = free * 0.6;
  const reply = entries.findLastIndex(({ message }) => message.role === 'assistant');
  const cut = findCut({
    entries,
    tokens: ({ message }) => tokens.of(message),
    keep,
    room,
    divideAbove: reason === 'manual' ? wanted : 0,
    leastOf: (from) =>
      tokens.sum(entries, from) - savedBy(leaveOutResults(entries, tokens, { from, to: reply, protect: 0 })),
  });
  if (cut === undefined) return undefined;
  const gain = tokens.sum(entries, start, cut.first);
  if (reason !== 'manual' && gain * ratio < budget.limit * leastGain) return undefined;
  return { cut, edits: fitResults(entries, tokens, cut.first, tokens.sum(entries, cut.first) - room) };
}

/** Where nothing can be summed up: results to shorten, if there is anything in that. */
export function shortenAlone({ entries, tokens, budget, measured, reason }: Ground): readonly Edit[] | undefined {
  if (reason === 'manual') return undefined;
  const excess = (measured.tokens - budget.limit * 0.8) / measured.ratio;
  const edits = fitResults(entries, tokens, firstOwn(entries), excess);
  return savedBy(edits) * measured.ratio >= budget.limit * leastGain ? edits : undefined;
}

/** What stays whatever is summed up: the head, what is pinned, and the summary itself. */
function fixedTokens({ head, tokens, pinned, budget, measured }: Ground): number {
  return tokens.head(head) + pinned + budget.summary / measured.ratio;
}

/** An estimate of the context after a compaction. */
export function estimateAfter({ entries, tokens, head }: Ground, { cut, edits }: Plan, summary: string): number {
  return tokens.head(head) + textTokens(summary) + 50 + tokens.sum(entries, cut.first) - savedBy(edits);
}

/** What a strategy is given: as it was said, but for large results. */
export function forStrategy(entries: readonly ContextMessage[]): readonly Message[] {
  return entries.map(({ message }) => {
    if (message.role !== 'toolResult') return message;
    const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const short = shortText(text, resultTokens);
    if (short === text) return message;
    return { ...message, content: [{ type: 'text', text: short }] };
  });
}
