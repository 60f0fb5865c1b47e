import { setTimeout as pause } from 'node:timers/promises';
import { type AgentEvent, isTransient, type Model } from 'kern/contracts';
import { codeOf, KernError, messageOf } from 'kern/plugin';
import { type Attempt, type Attempts, hasShown, type Verdict } from './attempts.ts';
import { delayBefore, type RetrySettings, retryAfterOf, spanText } from './delay.ts';
import { isOverfull, overflowError, type RequestLoad } from './overflow.ts';

export interface RecoveryParts {
  /** As they are at the moment of asking: an edited value counts at the next failure. */
  readonly settings: () => RetrySettings;
  readonly emit: (event: AgentEvent) => void;
  readonly model: () => Model;
  /**
   * Another model from here on, with the entry, the event and the hook that go with it. `asFallback`: it stands in for
   * the one that was chosen, and a session that is opened again goes on with the chosen one.
   */
  readonly useModel: (model: Model, reason: string, asFallback: boolean) => void;
  /** A model by its id that can be used now; rejects with why it cannot. */
  readonly resolve: (id: string, signal: AbortSignal) => Promise<Model>;
  /** Makes room after an overflow: true when the request is worth another try. */
  readonly makeRoom: (signal: AbortSignal) => Promise<boolean>;
  /** What the request carries, to say what of it is big. */
  readonly load: () => RequestLoad;
  /** For tests. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
  readonly now?: () => number;
}

/** The role whose chain of fallbacks holds for a conversation. */
const role = 'default';

/** What a session does about requests that fail: waits, makes room, asks another model, and goes back to the first. */
export class Recovery {
  readonly parts: RecoveryParts;
  /** Until when models that could not answer are left alone, by id. */
  readonly #rests = new Map<string, number>();
  #away: { readonly chosen: Model; readonly to: string } | undefined;

  constructor(parts: RecoveryParts) {
    this.parts = parts;
  }

  /** The tries of the turn that begins. */
  attempts(): Attempts {
    return new TurnAttempts(this);
  }

  /** Before a prompt: back to the chosen model, when its rest is over and it can be used. */
  async restore(signal: AbortSignal): Promise<void> {
    const away = this.#away;
    if (away === undefined || this.isResting(away.chosen.id)) return;
    this.#away = undefined;
    // Somebody chose another in the meantime: that one is the chosen one now.
    if (this.parts.model().id !== away.to) return;
    try {
      this.parts.useModel(
        await this.parts.resolve(away.chosen.id, signal),
        'it has rested since it could not answer',
        false,
      );
    } catch {
      this.#away = away; // it is not there any more, or not yet: asked again at the next prompt
    }
  }

  rest(model: Model, failure: unknown): void {
    const ms = Math.max(this.parts.settings().cooldownMs, retryAfterOf(failure) ?? 0);
    this.#rests.set(model.id, this.#now() + ms);
  }

  isResting(id: string): boolean {
    return (this.#rests.get(id) ?? 0) > this.#now();
  }

  standIn(model: Model, reason: string): void {
    const current = this.parts.model();
    const chosen = this.#away?.to === current.id ? this.#away.chosen : current;
    this.#away = { chosen, to: model.id };
    this.parts.useModel(model, reason, true);
  }

  #now(): number {
    return (this.parts.now ?? Date.now)();
  }
}

const stop = (failure: unknown): Verdict => ({ again: false, failure });
const again: Verdict = { again: true };

/** What has been tried in one turn. Each way out is tried a bounded number of times, so a turn always ends. */
class TurnAttempts implements Attempts {
  readonly #recovery: Recovery;
  /** Tries after the first: of the model that is asked now, and of all. */
  #retries = 0;
  #total = 0;
  readonly #tried = new Set<string>();
  #hadEmpty = false;
  #madeRoom = false;
  #isTold = false;

  constructor(recovery: Recovery) {
    this.#recovery = recovery;
  }

  async judge(attempt: Attempt, signal: AbortSignal): Promise<Verdict> {
    const verdict = signal.aborted ? stop(undefined) : await this.#answer(attempt, signal);
    if (verdict.again && !signal.aborted) return verdict;
    const failure = signal.aborted ? undefined : verdict.again ? undefined : verdict.failure;
    if (this.#isTold) this.#tellEnd(signal.aborted ? 'aborted' : failure);
    return stop(failure);
  }

  #answer(attempt: Attempt, signal: AbortSignal): Verdict | Promise<Verdict> {
    const { message, failure } = attempt;
    if (hasShown(message)) return stop(failure);
    const code = codeOf(failure);
    if (code === 'model_context_overflow' || isOverfull(message, this.#parts.model()))
      return this.#makeRoom(attempt, signal);
    if (failure === undefined) return this.#orEmpty(attempt);
    return isTransient(code) || code === 'model_quota' ? this.#retry(attempt, signal) : stop(failure);
  }

  get #parts(): RecoveryParts {
    return this.#recovery.parts;
  }

  /** Models say nothing now and then, and do better the second time: nobody needs to hear of the first. */
  #orEmpty({ message, hide }: Attempt): Verdict {
    if (message.stopReason === 'length' || message.stopReason === 'refusal') return stop(undefined);
    hide();
    if (!this.#hadEmpty) {
      this.#hadEmpty = true;
      return again;
    }
    const failure = new KernError('model_empty_reply', `${this.#parts.model().id} answered nothing, twice`, {
      hint: 'put the request differently or ask it to go on; if it stays so, use another model',
    });
    return stop(failure);
  }

  async #makeRoom({ failure, hide }: Attempt, signal: AbortSignal): Promise<Verdict> {
    const { makeRoom, load, model } = this.#parts;
    hide();
    let cause = failure;
    if (!this.#madeRoom) {
      this.#madeRoom = true;
      try {
        if (await makeRoom(signal)) return again;
      } catch (error) {
        cause = error;
      }
    }
    return stop(overflowError(load(), model(), cause));
  }

  async #retry(attempt: Attempt, signal: AbortSignal): Promise<Verdict> {
    const { failure } = attempt;
    const settings = this.#parts.settings();
    if (!settings.enabled) return stop(failure);
    const mayPass = isTransient(codeOf(failure));
    const delay = delayBefore(this.#retries + 1, failure, settings, this.#parts.random ?? Math.random);
    if (mayPass && this.#retries < settings.maxRetries && delay.state === 'wait') {
      this.#retries += 1;
      this.#tellStart(failure, this.#total + settings.maxRetries - this.#retries + 1, delay.ms);
      attempt.hide();
      await this.#sleep(delay.ms, signal);
      return again;
    }
    return this.#elsewhere(attempt, settings, delay.state === 'too-long' ? delay.ms : undefined, signal);
  }

  /** The next model of the chain that can be asked; else the end, with what was tried. */
  async #elsewhere(
    { failure, hide }: Attempt,
    settings: RetrySettings,
    tooLong: number | undefined,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { model, resolve } = this.#parts;
    const current = model();
    this.#tried.add(current.id);
    this.#recovery.rest(current, failure);
    const skipped: string[] = [];
    for (const id of settings.fallbackChains[role] ?? []) {
      if (this.#tried.has(id)) continue;
      this.#tried.add(id);
      if (this.#recovery.isResting(id)) {
        skipped.push(`${id} (it could not answer a moment ago)`);
        continue;
      }
      const next = await resolve(id, signal).catch((error: unknown) => {
        skipped.push(`${id} (${messageOf(error)})`);
      });
      if (signal.aborted) return stop(undefined);
      if (next === undefined) continue;
      this.#retries = 0;
      this.#tellStart(failure, this.#total + 1 + settings.maxRetries, 0, next.id);
      hide();
      const passed = skipped.length === 0 ? '' : `; passed over: ${skipped.join(', ')}`;
      this.#recovery.standIn(next, `${current.id} could not answer: ${messageOf(failure)}${passed}`);
      return again;
    }
    return stop(this.#gaveUp(failure, skipped, tooLong, settings));
  }

  #gaveUp(failure: unknown, skipped: readonly string[], tooLong: number | undefined, settings: RetrySettings): unknown {
    const notes = [
      ...(this.#total > 0 ? [`tried ${this.#total + 1} times`] : []),
      ...(tooLong === undefined
        ? []
        : [`it asks to wait ${spanText(tooLong)}, more than the ${spanText(settings.maxDelayMs)} of retry.maxDelayMs`]),
      ...(skipped.length > 0 ? [`no fallback could be asked: ${skipped.join(', ')}`] : []),
    ];
    if (notes.length === 0) return failure;
    const hint =
      tooLong === undefined
        ? hintOf(failure)
        : `try again in ${spanText(tooLong)}, raise plugins.agent.retry.maxDelayMs, or name other models in plugins.agent.retry.fallbackChains`;
    return new KernError(codeOf(failure) ?? 'model_failed', `${messageOf(failure)} (${notes.join('; ')})`, {
      ...(hint === undefined ? {} : { hint }),
      cause: failure,
    });
  }

  #tellStart(failure: unknown, maxAttempts: number, delayMs: number, model?: string): void {
    this.#total += 1;
    this.#isTold = true;
    this.#parts.emit({
      type: 'auto_retry_start',
      attempt: this.#total,
      maxAttempts,
      delayMs,
      errorCode: codeOf(failure) ?? 'model_failed',
      errorMessage: messageOf(failure),
      ...(model === undefined ? {} : { model }),
    });
  }

  #tellEnd(failure: unknown): void {
    this.#isTold = false;
    this.#parts.emit({
      type: 'auto_retry_end',
      success: failure === undefined,
      attempt: this.#total,
      ...(failure === undefined ? {} : { finalError: typeof failure === 'string' ? failure : messageOf(failure) }),
    });
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const sleep = this.#parts.sleep ?? ((time, until) => pause(time, undefined, { signal: until }));
    // An abort ends it at once, and is seen by whoever goes on.
    await sleep(ms, signal).catch(() => undefined);
  }
}

function hintOf(failure: unknown): string | undefined {
  return typeof failure === 'object' && failure !== null && 'hint' in failure && typeof failure.hint === 'string'
    ? failure.hint
    : undefined;
}
