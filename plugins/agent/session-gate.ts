import { AsyncLocalStorage } from 'node:async_hooks';
import { KernError } from 'kern/plugin';

/** A run or a change of the session while it lasts. */
export interface Work {
  isOver: boolean;
}

/**
 * Keeps apart what must not wait for itself: inside a run, or inside a change of the session (another file, another
 * leaf, a compaction), nothing may ask for a change or wait for the end. Changes go one after the other.
 */
export class Gate {
  readonly #inside = new AsyncLocalStorage<Work | undefined>();
  #last: Promise<unknown> = Promise.resolve();
  readonly #settled: () => void;
  #changes = 0;
  #current: AbortController | undefined;

  /** `settled` is told each time that no change is under way any more. */
  constructor(settled: () => void = () => {}) {
    this.#settled = settled;
  }

  get isChanging(): boolean {
    return this.#changes > 0;
  }

  /** Runs `fn` as part of the work. */
  inside<T>(work: Work, fn: () => T): T {
    return this.#inside.run(work, fn);
  }

  /** For those who only listen: what they begin is awaited by nobody inside. */
  outside<T>(fn: () => T): T {
    return this.#inside.getStore() === undefined ? fn() : this.#inside.run(undefined, fn);
  }

  assertOutside(what: string): void {
    if (this.#inside.getStore()?.isOver !== false) return;
    throw new KernError('session_in_run', `${what} was asked for inside a run or a change of the same session`, {
      hint: 'it would wait for its own end; do it in a command, or after the run: without awaiting it, from an event such as agent.end',
    });
  }

  /** One change, after those that were asked for before. Its signal is that of `abort`. */
  async change<T>(what: string, fn: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.assertOutside(what);
    this.#changes += 1;
    const before = this.#last;
    const work: Work = { isOver: false };
    const done = before.then(async () => {
      const controller = new AbortController();
      this.#current = controller;
      try {
        return await this.inside(work, () => fn(controller.signal));
      } finally {
        work.isOver = true;
        this.#changes -= 1;
        this.#current = undefined;
        if (this.#changes === 0) this.#settled();
      }
    });
    this.#last = done.catch(() => {}); // told to whoever asked for it
    return done;
  }

  /** Ends the change under way, if it can be ended. */
  abort(): void {
    this.#current?.abort();
  }

  /** All changes that were asked for are through. */
  async settled(): Promise<void> {
    while (this.isChanging) await this.#last;
  }
}
