import { AsyncLocalStorage } from 'node:async_hooks';
import type { Activation } from './activation.ts';
import type { View } from './plugin.ts';

/** Measures one tap; stops while a person is being asked. */
export interface TapClock {
  pause(): void;
  resume(): void;
}

/** On whose behalf code runs, and through which view it looks. It follows promises, timers and emitters. */
export interface Running {
  readonly activation?: Activation;
  readonly view?: View;
  readonly clock?: TapClock;
  /** Set while a change is staged or started: waiting for the queue there would wait for itself. */
  readonly inChange?: boolean;
}

/** One a kernel: two kernels in a process own their errors apart. */
export class Ownership {
  readonly #storage = new AsyncLocalStorage<Running>();

  current(): Running | undefined {
    return this.#storage.getStore();
  }

  run<R>(running: Running, fn: () => R): R {
    return this.#storage.run(running, fn);
  }
}
