import type { Clock } from './clock.ts';
import { within } from './limit.ts';

/** Work under way that a turn waits for. */
export class Work {
  readonly #running = new Set<Promise<unknown>>();

  track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const done = (): void => void this.#running.delete(work);
    work.then(done, done);
    return work;
  }

  /** Resolves when nothing runs and nothing is pending any more, also of what has begun meanwhile; at the latest after `limitMs`. */
  async settled(limitMs: number, clock: Clock, pending: () => Promise<void>): Promise<void> {
    const quiet = async (): Promise<void> => {
      for (;;) {
        await pending();
        if (this.#running.size === 0) return;
        await Promise.allSettled(this.#running);
      }
    };
    await within(clock, limitMs, quiet(), () => undefined);
  }
}
