import type { CompactionReason, CompactionResult } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import type { BranchWay } from './branch-summary.ts';
import { budgetOf } from './budget.ts';
import { assertWritable, type CompactOptions, type CompactorParts } from './parts.ts';
import { type Measured, Tokens, undoneType } from './tokens.ts';

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
    assertWritable(this.#parts);
    const { latestCompaction } = await import('./undo.ts');
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
  async summarizeBranch(way: BranchWay, signal: AbortSignal): Promise<string> {
    return (await import('./branch-summary.ts')).summarizeBranch(this.#parts, way, signal);
  }

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

  /** Most sessions never come to this: what it takes is loaded then. */
  async #perform(reason: CompactionReason, options: CompactOptions, signal: AbortSignal): Promise<CompactionResult> {
    if (this.#isBusy)
      throw new KernError('compaction_running', 'the session is being compacted already', { hint: 'wait for its end' });
    this.#isBusy = true;
    try {
      const { perform } = await import('./perform.ts');
      const measure = { tokens: this.#tokens, measured: () => this.#measured() };
      return await perform({ parts: this.#parts, measure, reason, options, signal });
    } finally {
      this.#isBusy = false;
    }
  }

  #measured(): Measured {
    const { conversation, head, model, store } = this.#parts;
    return this.#tokens.measure(conversation.contextEntries(), head(), model(), store());
  }
}
