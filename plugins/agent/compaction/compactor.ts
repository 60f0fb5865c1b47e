import { abortError, type CompactionReason, type CompactionResult, sessionCompact } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { unlessAborted } from '../runner-abort.ts';
import { asker } from './ask.ts';
import { leftBranch } from './branch.ts';
import { type Budget, budgetOf, summaryTokens } from './budget.ts';
import { noRequests } from './details.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { type CompactOptions, type CompactorParts, summarizerOf } from './parts.ts';
import { askedPins, ownPins, withPins } from './pins.ts';
import { type Ground, planOf } from './plan.ts';
import { editEntry } from './prune.ts';
import { nothingToCompact } from './report.ts';
import { strategyOf } from './sum-up.ts';
import { branchNotes } from './summary.ts';
import { tellAround } from './tell.ts';
import { type Measured, Tokens, textTokens, undoneType } from './tokens.ts';
import { latestCompaction } from './undo.ts';

/** Keeps the context of a session within what its model takes. Nothing is lost by it: the entries stay in the file. */
export class Compactor {
  readonly #parts: CompactorParts;
  readonly #tokens = new Tokens();
  #isBusy = false;
  /** After a try that did not make enough room: nothing is tried again before the context has grown to this. */
  #quiet: { readonly sessionId: string; readonly until: number } | undefined;
  /** The last reply before the last overflow: another overflow without a reply between is the second of one request. */
  #overflowAfter: string | undefined;

  constructor(parts: CompactorParts) {
    this.#parts = parts;
  }

  /** What the next request carries. */
  contextTokens(): number {
    return this.#measured().tokens;
  }

  beforePrompt(signal: AbortSignal): Promise<void> {
    return this.#whenFull(signal);
  }

  beforeTurn(signal: AbortSignal): Promise<void> {
    return this.#whenFull(signal);
  }

  /** Makes room after a request that was too long. Answers whether it is worth another try; one request gets one. */
  async afterOverflow(signal: AbortSignal): Promise<boolean> {
    if (!this.#parts.settings().compaction.enabled) return false;
    if (this.#overflowAfter === this.#lastReply()) return false;
    try {
      await this.#perform('overflow', {}, signal);
      return true;
    } catch {
      return false; // told when it happened
    } finally {
      this.#overflowAfter = this.#lastReply();
    }
  }

  #lastReply(): string {
    const entries = this.#parts.conversation.contextEntries();
    const reply = entries.findLast(({ message }) => message.role === 'assistant' && message.stopReason !== 'error');
    return `${this.#parts.sessionId()} ${reply?.entryId ?? ''}`;
  }

  /** Because somebody asked for it. Rejects with `nothing_to_compact`, or with what went wrong. */
  compact(options: CompactOptions, signal: AbortSignal): Promise<CompactionResult> {
    return this.#perform('manual', options, signal);
  }

  /** Goes on as if the latest compaction of the branch had not been. What was said since stays. */
  async undo(): Promise<void> {
    const { conversation, store, sessionId } = this.#parts;
    this.#assertWritable();
    const latest = latestCompaction(store());
    if (latest === undefined)
      throw new KernError('nothing_to_undo', 'no compaction of this branch is in force', {
        hint: 'the session is already read as it was said',
      });
    conversation.write({
      type: 'custom',
      customType: undoneType,
      data: { targetId: latest.id, edits: latest.edits },
    });
    conversation.rebuild();
    // Who brings old words back wants to see them: the next turn does not take them away at once.
    this.#quiet = { sessionId: sessionId(), until: this.contextTokens() * 1.05 };
  }

  /** What is left by going from one leaf to another, in notes; empty where nothing is. */
  async summarizeBranch(
    way: { readonly from: string | null; readonly to: string | null; readonly instructions?: string | undefined },
    signal: AbortSignal,
  ): Promise<string> {
    const { view, store, settings, sessionId } = this.#parts;
    const { model } = await summarizerOf(this.#parts, undefined, signal);
    const reserve = Math.min(settings().branchSummary.reserveTokens, Math.floor(model.contextWindow / 2));
    const maxInputTokens = model.contextWindow - reserve;
    const { pieces, files } = leftBranch(store(), way.from, way.to, Math.max(200, maxInputTokens - 2_000));
    if (pieces.length === 0) return '';
    const { ask } = asker({ view: view(), model, sessionId: sessionId(), retry: () => settings().retry, signal });
    const maxTokens = summaryTokens(model, reserve);
    const job = { ask, maxTokens, maxInputTokens: model.contextWindow, instructions: way.instructions };
    const notes = await unlessAborted(branchNotes(job, pieces, signal), signal);
    if (notes === undefined) throw abortError();
    return withPins(notes, ownPins(noRequests, files));
  }

  // --- When -----------------------------------------------------------------------------------------------------------

  async #whenFull(signal: AbortSignal): Promise<void> {
    const { settings, store, model, sessionId } = this.#parts;
    const { compaction } = settings();
    if (!compaction.enabled || store().readonly !== undefined || model().contextWindow <= 0) return;
    const { limit } = budgetOf(model(), compaction);
    const tokens = this.contextTokens();
    if (tokens <= limit) {
      this.#quiet = undefined;
      return;
    }
    if (this.#quiet?.sessionId === sessionId() && tokens < this.#quiet.until) return;
    try {
      await this.#perform('threshold', {}, signal);
    } catch {
      // Told when it happened: the run goes on with the context as it is.
    }
    const after = this.contextTokens();
    if (after > limit && !signal.aborted) this.#quiet = { sessionId: sessionId(), until: after * 1.05 };
  }

  async #perform(reason: CompactionReason, options: CompactOptions, signal: AbortSignal): Promise<CompactionResult> {
    if (this.#isBusy)
      throw new KernError('compaction_running', 'the session is being compacted already', { hint: 'wait for its end' });
    this.#isBusy = true;
    try {
      const { view, broadcast, sessionId, settings } = this.#parts;
      if (options.preview !== true) this.#assertWritable();
      if (options.strategy !== undefined) await strategyOf(view(), options.strategy);
      const pins = await unlessAborted(askedPins(view(), sessionId()), signal);
      if (pins === undefined) throw abortError();
      const ground = this.#ground(reason, textTokens(JSON.stringify(pins)));
      const work = async (): Promise<{ result: CompactionResult; warning: string | undefined }> => {
        const outcome = await unlessAborted(outcomeOf(this.#parts, ground, pins, options, signal), signal);
        if (outcome === undefined || signal.aborted) throw abortError();
        if (options.preview === true)
          return { result: { entryId: undefined, ...outcome.result }, warning: outcome.warning };
        const result = this.#write(ground, outcome);
        return { result, warning: outcome.warning };
      };
      if (options.preview === true) return (await work()).result;
      if (reason === 'manual' && planOf(ground) === undefined) throw nothingToCompact(ground);
      const strategy = options.strategy ?? settings().compaction.strategy;
      return await tellAround({ view: view(), broadcast, sessionId: sessionId(), reason, strategy, signal }, work);
    } finally {
      this.#isBusy = false;
    }
  }

  // --- What -----------------------------------------------------------------------------------------------------------

  #ground(reason: CompactionReason, pinned: number): Ground {
    const { conversation, head, model, settings } = this.#parts;
    const { compaction } = settings();
    const budget = budgetOf(model(), compaction);
    const entries = conversation.contextEntries();
    const measured = this.#measured();
    return {
      entries,
      tokens: this.#tokens,
      head: head(),
      budget,
      settings: compaction,
      measured: reason === 'overflow' ? overfull(measured, budget) : measured,
      reason,
      pinned,
    };
  }

  #measured(): Measured {
    const { conversation, head, model, store } = this.#parts;
    return this.#tokens.measure(conversation.contextEntries(), head(), model(), store());
  }

  /** All at once: nothing else comes between, and what was stopped before has changed nothing. */
  #write(ground: Ground, { edits, entry, result }: Outcome): CompactionResult {
    const { conversation, view, sessionId } = this.#parts;
    this.#assertStillThere(ground, result.firstKeptEntryId);
    const entryId = conversation.write(entry(edits.map((edit) => conversation.write(editEntry(edit)))));
    conversation.rebuild();
    const kept = { entryId, ...result };
    view().call(sessionCompact, { sessionId: sessionId(), reason: ground.reason, result: kept });
    return kept;
  }

  /** While a summary was written the session may have gone on elsewhere: in another file, on another branch. */
  #assertStillThere({ entries }: Ground, firstKept: string): void {
    const now = this.#parts.conversation.contextEntries();
    if (now[0]?.entryId === entries[0]?.entryId && now.some(({ entryId }) => entryId === firstKept)) return;
    throw new KernError('compaction_stale', 'the session went on elsewhere while it was summed up', {
      hint: 'compact it again',
    });
  }

  #assertWritable(): void {
    const why = this.#parts.store().readonly;
    if (why === undefined) return;
    throw new KernError('session_readonly', `the session cannot be compacted: ${why}`, {
      hint: 'go on in a copy of it: --fork',
    });
  }
}

/** The model has said that it is full, whatever was counted. */
function overfull(measured: Measured, { window }: Budget): Measured {
  const tokens = Math.max(measured.tokens, window);
  return { ...measured, tokens, ratio: Math.min(4, Math.max(measured.ratio, tokens / Math.max(1, measured.estimate))) };
}
