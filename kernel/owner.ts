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
  readonly activation?: Activation | undefined;
  readonly view?: View | undefined;
  readonly clock?: TapClock | undefined;
}

/** Open from the first step of a change until its swap: waiting for the queue in there would wait for itself. */
export interface OpenChange {
  open: boolean;
}

/** One a kernel: two kernels in a process own their errors apart. */
export class Ownership {
  readonly #running = new AsyncLocalStorage<Running | undefined>();
  readonly #changes = new AsyncLocalStorage<OpenChange>();

  current(): Running | undefined {
    return this.#running.getStore();
  }

  run<R>(running: Running, fn: () => R): R {
    return this.#running.run(running, fn);
  }

  /** Like `run`, for calls on hot paths: without a closure. */
  call<I, R>(running: Running, fn: (input: I) => R, input: I): R {
    return this.#running.run(running, fn, input);
  }

  /** Runs the kernel's own work, whoever asked for it: nobody answers for that, and no timer of it keeps a plugin's code. */
  free<R>(fn: () => R): R {
    return this.#running.run(undefined, fn);
  }

  /** Like `free`; what runs in there, plugins included, knows that it is part of a change. */
  within<R>(change: OpenChange, fn: () => R): R {
    return this.#changes.run(change, () => this.free(fn));
  }

  /** Whether what runs now is part of a change that is under way. */
  get isInChange(): boolean {
    return this.#changes.getStore()?.open === true;
  }
}
