/** How long a search may take, and the signal that ends it then, or when the call is aborted. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly hasPassed: boolean;
  /** The work, or an end without it: a file system that does not answer cannot be interrupted. */
  race<T>(work: Promise<T>): Promise<T>;
  /** The same, for work whose results so far are of use: false where it did not end. */
  ended(work: Promise<unknown>): Promise<boolean>;
  /** What the model is told when it has passed. */
  readonly notice: string | undefined;
}

/** Nobody waits longer for a search than this, unless a setting says so. */
export const defaultLimitSeconds = 30;

export function createDeadline(call: AbortSignal, seconds: number): Deadline {
  const timer = AbortSignal.timeout(Math.ceil(seconds * 1_000));
  const signal = AbortSignal.any([call, timer]);
  const race = async <T>(work: Promise<T>): Promise<T> => {
    const over = Promise.withResolvers<never>();
    const onAbort = (): void => over.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      return await Promise.race([work, over.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      // Whatever comes of it later, nobody waits for it.
      work.catch(() => undefined);
    }
  };
  return {
    signal,
    get hasPassed() {
      return timer.aborted;
    },
    race,
    async ended(work) {
      try {
        await race(work);
        return true;
      } catch (error) {
        call.throwIfAborted();
        if (!timer.aborted) throw error;
        return false;
      }
    },
    get notice() {
      return timer.aborted ? `Stopped after ${seconds} s; there may be more. Narrow the path.` : undefined;
    },
  };
}
