import type { Activation, TapRecord } from './activation.ts';
import type { Clock } from './clock.ts';
import { book } from './cost.ts';
import { KernError, messageOf } from './error.ts';
import { type Hook, limitOf } from './hook.ts';
import { Limit } from './limit.ts';
import type { Ownership, TapClock } from './owner.ts';
import type { View } from './plugin.ts';
import type { Journal } from './report.ts';
import { parse } from './schema.ts';

export interface HookPorts {
  readonly owners: Ownership;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly freezeDeeply: boolean;
}

/** One call: the view it is made through, and where gathered answers go, each at the place of its tap. */
export interface Call {
  readonly view: View;
  readonly gathered: unknown[];
}

export type Done = (error?: Error | null, result?: unknown) => void;

const muteAfter = 5;

/** Runs a tap that answers at once. A promise it returns all the same is watched for its failure only. */
export function runNow(tap: TapRecord, hook: Hook, input: unknown, call: Call, ports: HookPorts): unknown {
  if (isSilent(tap)) return undefined;
  const { activation } = tap;
  const started = performance.now();
  activation.enter();
  try {
    const answer = ports.owners.call({ activation, view: call.view }, tap.fn, input as never);
    if (!isPromise(answer)) {
      tap.failures = 0;
      return answer;
    }
    const well = (): void => {
      tap.failures = 0;
    };
    answer.then(well, (error) => fail(tap, hook, error, ports));
  } catch (error) {
    fail(tap, hook, error, ports);
  } finally {
    book(tap, hook, performance.now() - started, ports.journal);
    activation.leave();
  }
  return undefined;
}

/** Runs a tap that may wait, within the hook's limit. `done` gets the error or the answer, once, whatever the tap does. */
export function runSoon(tap: TapRecord, hook: Hook, input: unknown, call: Call, ports: HookPorts, done: Done): void {
  if (isSilent(tap)) done();
  else new TapRun(tap, hook, ports, done).run(input, call.view);
}

const isSilent = (tap: TapRecord): boolean => tap.muted || tap.activation.state === 'gone';

/** One tap at work. It is the clock of what runs in it. */
class TapRun implements TapClock {
  readonly #tap: TapRecord;
  readonly #hook: Hook;
  readonly #ports: HookPorts;
  readonly #done: Done;
  readonly #activation: Activation;
  /** A call that waits for this one stands still with it. */
  readonly #around: TapClock | undefined;
  readonly #started = performance.now();
  /** Made when it is needed: most taps answer at once. */
  #limit: Limit | undefined;
  #gone: (() => void) | undefined;
  #isOpen = true;
  #pauses = 0;
  #pausedAt = 0;
  #askedMs = 0;

  constructor(tap: TapRecord, hook: Hook, ports: HookPorts, done: Done) {
    this.#tap = tap;
    this.#hook = hook;
    this.#ports = ports;
    this.#done = done;
    this.#activation = tap.activation;
    this.#around = ports.owners.current()?.clock;
  }

  run(input: unknown, view: View): void {
    const activation = this.#activation;
    activation.enter();
    let answer: unknown;
    try {
      answer = this.#ports.owners.call({ activation, view, clock: this }, this.#tap.fn, input as never);
    } catch (error) {
      this.#settle(asError(error), undefined);
      return;
    }
    if (isPromise(answer)) this.#wait(answer);
    else this.#settle(undefined, answer);
  }

  #wait(answer: PromiseLike<unknown>): void {
    this.#gone = () => this.#settle(new KernError('plugin_gone', 'it was unloaded meanwhile'), undefined);
    this.#activation.waiters.add(this.#gone);
    this.#limited().start();
    answer.then(
      (value) => this.#settle(undefined, value),
      (error) => this.#settle(asError(error), undefined),
    );
  }

  #limited(): Limit {
    const ms = limitOf(this.#hook);
    const late = (): void => this.#settle(new KernError('tap_late', `no answer within ${ms} ms`), undefined);
    this.#limit ??= new Limit(ms, this.#ports.clock, late);
    return this.#limit;
  }

  pause(): void {
    if (this.#pauses === 0) this.#pausedAt = performance.now();
    this.#pauses += 1;
    this.#limited().pause();
    this.#around?.pause();
  }

  resume(): void {
    this.#askedMs = this.#asked();
    this.#pausedAt = performance.now();
    this.#pauses -= 1;
    this.#limited().resume();
    this.#around?.resume();
  }

  /** How long a person was being asked in it. */
  #asked(): number {
    return this.#askedMs + (this.#pauses === 0 ? 0 : performance.now() - this.#pausedAt);
  }

  #settle(failure: Error | undefined, answer: unknown): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const activation = this.#activation;
    this.#limit?.cancel();
    if (this.#gone !== undefined) activation.waiters.delete(this.#gone);
    book(this.#tap, this.#hook, performance.now() - this.#started - this.#asked(), this.#ports.journal);
    const error = failure ?? badAnswer(this.#hook, answer);
    if (error === undefined) this.#tap.failures = 0;
    else fail(this.#tap, this.#hook, error, this.#ports);
    activation.leave();
    this.#done(error ?? null, error === undefined ? answer : undefined);
  }
}

/** Why an answer is none; undefined for a good one and for no opinion. */
function badAnswer(hook: Hook, answer: unknown): Error | undefined {
  if (hook.answer === undefined || answer === undefined || answer === null) return undefined;
  const parsed = parse(hook.answer, answer);
  return parsed.ok ? undefined : new KernError('bad_answer', `its answer is not one: ${parsed.issues.join('; ')}`);
}

function fail(tap: TapRecord, hook: Hook, error: unknown, { journal }: HookPorts): void {
  const { id } = tap.activation;
  journal.failure(id, 'tap_failed', hook.id, error);
  tap.failures += 1;
  if (tap.failures < muteAfter || hook.guard !== undefined || tap.muted) return;
  tap.muted = true;
  const text = `plugin ${id} failed ${muteAfter} times in a row in ${hook.id} and is not asked there again until it is reloaded`;
  journal.add(id, 'warning', 'tap_muted', text);
}

/** Also one of another library: an answer that is only on its way must not count as one. */
const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(messageOf(thrown)));
