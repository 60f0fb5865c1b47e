import type { Clock } from './clock.ts';

/** The answer of `work`, or what `late` throws or answers after `ms`. Work that is late goes on; its failure is nobody's. */
export async function within<T, L>(clock: Clock, ms: number, work: PromiseLike<T>, late: () => L): Promise<T | L> {
  const { promise: limit, resolve, reject } = Promise.withResolvers<L>();
  const cancel = clock.after(ms, () => {
    try {
      resolve(late());
    } catch (error) {
      reject(error);
    }
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    cancel();
  }
}

/** The answer of `work`, unless the signal comes first: then its reason is thrown. The work goes on. */
export async function unlessAborted<T>(signal: AbortSignal | undefined, work: PromiseLike<T>): Promise<T> {
  if (signal === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** A time limit that can stand still. It runs from `start`. */
export class Limit {
  #left: number;
  readonly #clock: Clock;
  readonly #fn: () => void;
  #since = 0;
  #pauses = 0;
  #isStarted = false;
  #cancel: () => void = () => {};

  constructor(ms: number, clock: Clock, fn: () => void) {
    this.#left = ms;
    this.#clock = clock;
    this.#fn = fn;
  }

  start(): void {
    this.#isStarted = true;
    if (this.#pauses === 0) this.#arm();
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1 || !this.#isStarted) return;
    this.#cancel();
    this.#left -= this.#clock.now() - this.#since;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0 && this.#isStarted) this.#arm();
  }

  cancel(): void {
    this.#cancel();
    this.#left = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    if (!Number.isFinite(this.#left)) return;
    this.#since = this.#clock.now();
    this.#cancel = this.#clock.after(Math.max(0, this.#left), this.#fn);
  }
}
