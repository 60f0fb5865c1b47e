import {
  abortError,
  type CompactionJob,
  type CompactionReason,
  type CompactionResult,
  type ContextMessage,
  type Model,
  models,
  type NewEntry,
  type SessionStore,
  sessionCompact,
} from 'kern/contracts';
import { KernError, messageOf, type View } from 'kern/plugin';
import type { Broadcast } from '../broadcast.ts';
import { unlessAborted } from '../runner-abort.ts';
import type { AgentSettings } from '../settings.ts';
import { type Asker, asker } from './ask.ts';
import { leftBranch } from './branch.ts';
import { type Budget, budgetOf, summaryTokens } from './budget.ts';
import { isSummary } from './cut.ts';
import { detailsOf, noPrevious, type Previous, type PrunedData, previousOf, prunedType } from './details.ts';
import { collectFiles } from './files.ts';
import { askedPins, filesText, ownPins } from './pins.ts';
import { estimateAfter, forStrategy, type Ground, type Plan, planOf, pruneAlone, shortenAlone } from './plan.ts';
import { type Edit, editEntry, savedBy } from './prune.ts';
import { whatIsBig, whatToDo } from './report.ts';
import { requestsOf } from './requests.ts';
import { strategyOf, summedUp } from './sum-up.ts';
import { branchNotes } from './summary.ts';
import { tellAround } from './tell.ts';
import { type Measured, type SentHead, Tokens, textTokens, undoneType } from './tokens.ts';
import { latestCompaction } from './undo.ts';

/** What compaction needs of a conversation. */
export interface CompactedConversation {
  contextEntries(): readonly ContextMessage[];
  write(entry: NewEntry): string;
  rebuild(): unknown;
}

export interface CompactorParts {
  readonly view: () => View;
  readonly conversation: CompactedConversation;
  readonly store: () => SessionStore;
  readonly model: () => Model;
  readonly head: () => SentHead;
  readonly broadcast: Pick<Broadcast, 'emit'>;
  readonly sessionId: () => string;
  readonly settings: () => Pick<AgentSettings, 'compaction' | 'branchSummary' | 'retry'>;
}

export interface CompactOptions {
  readonly instructions?: string | undefined;
  readonly strategy?: string | undefined;
  readonly model?: string | undefined;
  readonly preview?: boolean | undefined;
}

/** What is to be written, and what is told of it. */
interface Outcome {
  readonly result: Omit<CompactionResult, 'entryId'>;
  readonly warning: string | undefined;
  readonly edits: readonly Edit[];
  /** The entry that says it, given the ids of the edits. */
  readonly entry: (edits: readonly string[]) => NewEntry;
}

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
    const entries = this.#parts.conversation.contextEntries();
    const reply = entries.findLast(({ message }) => message.role === 'assistant' && message.stopReason !== 'error');
    const after = `${this.#parts.sessionId()} ${reply?.entryId ?? ''}`;
    if (this.#overflowAfter === after) return false;
    this.#overflowAfter = after;
    try {
      await this.#perform('overflow', {}, signal);
      return true;
    } catch {
      return false; // told when it happened
    }
  }

  /** Because somebody asked for it. Rejects with `nothing_to_compact`, or with what went wrong. */
  async compact(options: CompactOptions, signal: AbortSignal): Promise<CompactionResult> {
    if (options.strategy !== undefined) await strategyOf(this.#parts.view(), options.strategy);
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
    const { store, settings } = this.#parts;
    const model = (await this.#summarizer(undefined, signal)).model;
    const reserve = Math.min(settings().branchSummary.reserveTokens, Math.floor(model.contextWindow / 2));
    const maxInputTokens = model.contextWindow - reserve;
    const { pieces, files } = leftBranch(store(), way.from, way.to, Math.max(200, maxInputTokens - 2_000));
    if (pieces.length === 0) return '';
    const { ask } = this.#asker(model, signal);
    const maxTokens = summaryTokens(model, reserve);
    const job = { ask, maxTokens, maxInputTokens: model.contextWindow, instructions: way.instructions };
    const notes = await unlessAborted(branchNotes(job, pieces, signal), signal);
    if (notes === undefined) throw abortError();
    return [notes, ...filesText(files)].join('\n\n');
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
      const pins = await unlessAborted(askedPins(view(), sessionId()), signal);
      if (pins === undefined) throw abortError();
      const ground = this.#ground(reason, textTokens(JSON.stringify(pins)));
      const work = async (): Promise<{ result: CompactionResult; warning: string | undefined }> => {
        const outcome = await unlessAborted(this.#outcome(ground, pins, options, signal), signal);
        if (outcome === undefined || signal.aborted) throw abortError();
        if (options.preview === true)
          return { result: { entryId: undefined, ...outcome.result }, warning: outcome.warning };
        const result = this.#write(ground, outcome);
        return { result, warning: outcome.warning };
      };
      if (options.preview === true) return (await work()).result;
      if (reason === 'manual' && planOf(ground) === undefined) throw this.#nothing(ground);
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

  async #outcome(
    ground: Ground,
    asked: CompactionResult['pins'],
    options: CompactOptions,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const old = options.strategy === undefined ? pruneAlone(ground) : undefined;
    if (old !== undefined) return pruned(ground, old);
    const plan = planOf(ground);
    if (plan !== undefined) return this.#summed(ground, plan, asked, options, signal);
    const short = ground.reason === 'manual' ? undefined : shortenAlone(ground);
    if (short !== undefined) return pruned(ground, short);
    throw this.#nothing(ground);
  }

  async #summed(
    ground: Ground,
    plan: Plan,
    asked: CompactionResult['pins'],
    options: CompactOptions,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { view, sessionId, store, settings } = this.#parts;
    const { entries, reason, measured, budget } = ground;
    const { start, turn, first } = plan.cut;
    const previous = this.#previous(entries[0]);
    const gone = entries.slice(start, first).map(({ message }) => message);
    const files = collectFiles(previous.files, gone);
    const room = (budget.limit / measured.ratio) * 0.25;
    const requests = requestsOf({ entries, first, before: previous.requests, entry: (id) => store().entry(id), room });
    const pins = [...ownPins(requests, files), ...asked];
    const { model, warning } = await this.#summarizer(options.model, signal);
    const asking = this.#asker(model, signal);
    const reserve = Math.min(settings().compaction.reserveTokens, Math.floor(model.contextWindow / 2));
    const job: CompactionJob = {
      reason,
      messages: forStrategy(entries.slice(start, turn)),
      turnPrefix: forStrategy(entries.slice(turn, first)),
      previousSummary: previous.summary,
      tokensBefore: measured.tokens,
      maxTokens: Math.min(budget.summary, summaryTokens(model, reserve)),
      // Estimates are estimates: what was counted so far says how far off they are.
      maxInputTokens: Math.floor(model.contextWindow / Math.max(1, measured.ratio)),
      instructions: options.instructions,
      files,
      ask: asking.ask,
    };
    const pinsText = pins.map(({ title, text }) => `${title}\n\n${text}`).join('\n\n');
    const before = measured.estimate;
    const after = (summary: string): number => estimateAfter(ground, plan, `${summary}\n\n${pinsText}`);
    const strategy = options.strategy ?? settings().compaction.strategy;
    const made = await summedUp({
      view: view(),
      sessionId: sessionId(),
      reason,
      strategy,
      job,
      shrinks: (summary) => reason === 'manual' || after(summary) < before * 0.95,
      signal,
    });
    const kept = entries[first]?.entryId as string; // a cut is at an entry
    const tokensBefore = Math.round(measured.tokens);
    return {
      result: {
        strategy: made.strategy,
        summary: made.summary,
        firstKeptEntryId: kept,
        tokensBefore,
        tokensAfter: Math.round(after(made.summary) * measured.ratio),
        summarized: first - start,
        kept: entries.length - first,
        pins,
      },
      warning: [warning, made.warning].filter((part) => part !== undefined).join('; ') || undefined,
      edits: plan.edits,
      entry: (edits) => ({
        type: 'compaction',
        summary: made.summary,
        firstKeptEntryId: kept,
        tokensBefore,
        details: detailsOf(
          {
            readFiles: files.read,
            modifiedFiles: files.changed,
            pins,
            images: requests.images,
            kern: { strategy: made.strategy, requests: requests.texts, edits, usage: asking.usage() },
          },
          made.details,
        ),
        ...(made.fromHook ? { fromHook: true } : {}),
      }),
    };
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

  #previous(first: ContextMessage | undefined): Previous {
    if (!isSummary(first) || first?.entryId === undefined) return noPrevious;
    return previousOf(this.#parts.store().entry(first.entryId));
  }

  /** Who writes the summary: a model that is named for it, else that of the session. */
  async #summarizer(
    named: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly model: Model; readonly warning: string | undefined }> {
    const { view, model, settings } = this.#parts;
    const set = settings().compaction.model;
    if (named !== undefined) return { model: await view().service(models).resolve(named, signal), warning: undefined };
    if (set === undefined) return { model: model(), warning: undefined };
    try {
      return { model: await view().service(models).resolve(set, signal), warning: undefined };
    } catch (error) {
      const warning = `plugins.agent.compaction.model: ${messageOf(error)}; the model of the session was asked`;
      return { model: model(), warning };
    }
  }

  #asker(model: Model, signal: AbortSignal): Asker {
    const { view, sessionId, settings } = this.#parts;
    return asker({ view: view(), model, sessionId: sessionId(), retry: () => settings().retry, signal });
  }

  #assertWritable(): void {
    const why = this.#parts.store().readonly;
    if (why === undefined) return;
    throw new KernError('session_readonly', `the session cannot be compacted: ${why}`, {
      hint: 'go on in a copy of it: --fork',
    });
  }

  #nothing({ entries, head, tokens, measured, budget, reason }: Ground): KernError {
    if (reason === 'manual')
      return new KernError('nothing_to_compact', 'there is nothing to compact: only the last turn is there', {
        hint: 'compact when more has been said',
      });
    const full = `the context takes about ${Math.round(measured.tokens).toLocaleString('en-US')} of ${budget.window.toLocaleString('en-US')} tokens, and nothing of it can be summed up: ${whatIsBig(entries, head, tokens, measured)}`;
    return new KernError('nothing_to_compact', full, { hint: whatToDo(head, tokens, budget.limit / measured.ratio) });
  }
}

/** Results are shorter or left out, and nothing is summed up. */
function pruned({ entries, measured }: Ground, edits: readonly Edit[]): Outcome {
  const tokensBefore = Math.round(measured.tokens);
  const tokensAfter = Math.round(measured.tokens - savedBy(edits) * measured.ratio);
  const firstKeptEntryId = entries.find(({ entryId }) => entryId !== undefined)?.entryId ?? '';
  return {
    result: {
      strategy: 'prune',
      summary: '',
      firstKeptEntryId,
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

/** The model has said that it is full, whatever was counted. */
function overfull(measured: Measured, { window }: Budget): Measured {
  const tokens = Math.max(measured.tokens, window);
  return { ...measured, tokens, ratio: Math.min(4, Math.max(measured.ratio, tokens / Math.max(1, measured.estimate))) };
}
