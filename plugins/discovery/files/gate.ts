import { dirname } from 'node:path';
import { type Clock, KernError } from 'kern/plugin';

/** Node has four threads for all of its file calls: discovery leaves one to the others, also when a drive stalls. */
const slots = 3;

interface Call {
  readonly path: string;
  readonly work: () => Promise<unknown>;
  readonly resolve: (answer: never) => void;
  readonly reject: (why: unknown) => void;
  since: number;
  isStalled: boolean;
}

/** Lets so many file calls through at a time, and waits so long for each. A call that stalls keeps its slot until it comes back. */
export class Gate {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #running = new Set<Call>();
  readonly #waiting: Call[] = [];
  #next = 0;
  readonly #shared = new Map<string, Promise<unknown>>();
  #stalled = 0;
  #isTimed = false;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Calls of one name for one path are one call. Rejects with `file_stalled` where no answer comes. */
  run<T>(name: string, path: string, work: () => Promise<T>): Promise<T> {
    const key = `${name}\0${path}`;
    const known = this.#shared.get(key);
    if (known !== undefined) return known as Promise<T>; // of the same name, so of the same type
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#shared.set(key, promise);
    const settle =
      <V>(fn: (value: V) => void) =>
      (value: V): void => {
        this.#shared.delete(key);
        fn(value);
      };
    this.#enter({ path, work, resolve: settle(resolve), reject: settle(reject), since: 0, isStalled: false });
    return promise;
  }

  #enter(call: Call): void {
    const dead = this.#deadAbove(call.path);
    if (dead !== undefined) call.reject(stalled(dead));
    else if (this.#running.size < slots) this.#start(call);
    else if (this.#isBlocked()) call.reject(stalled(call.path));
    else this.#waiting.push(call);
  }

  #start(call: Call): void {
    call.since = this.#clock.now();
    this.#running.add(call);
    this.#watch();
    call.work().then(
      (answer) => {
        this.#leave(call);
        call.resolve(answer as never); // the resolver of the same call
      },
      (error: unknown) => {
        this.#leave(call);
        call.reject(error);
      },
    );
  }

  #leave(call: Call): void {
    this.#running.delete(call);
    if (call.isStalled) this.#stalled -= 1;
    while (this.#next < this.#waiting.length && this.#running.size < slots) {
      const next = this.#waiting[this.#next];
      this.#next += 1;
      if (next === undefined) continue;
      const dead = this.#deadAbove(next.path);
      if (dead === undefined) this.#start(next);
      else next.reject(stalled(dead));
    }
    if (this.#next === this.#waiting.length) this.#forgetWaiting();
  }

  #forgetWaiting(): readonly Call[] {
    const left = this.#waiting.splice(0).slice(this.#next);
    this.#next = 0;
    return left;
  }

  /** One timer for all of them: a call may take up to twice the limit before it is given up. */
  #watch(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#clock.after(this.#limitMs, () => {
      // Where the process itself was busy, answers may be waiting behind this timer.
      setImmediate(() => setImmediate(() => this.#look()));
    });
  }

  #look(): void {
    this.#isTimed = false;
    const now = this.#clock.now();
    for (const call of this.#running) {
      if (call.isStalled || now - call.since < this.#limitMs) continue;
      call.isStalled = true;
      this.#stalled += 1;
      call.reject(stalled(call.path));
    }
    if (this.#isBlocked()) for (const { path, reject } of this.#forgetWaiting()) reject(stalled(path));
    if (this.#running.size > this.#stalled) this.#watch();
  }

  #isBlocked(): boolean {
    return this.#stalled >= slots;
  }

  /** What lies below a path that does not answer would not answer either, and cost another thread. */
  #deadAbove(path: string): string | undefined {
    if (this.#stalled === 0) return undefined;
    const dead = new Set([...this.#running].flatMap((call) => (call.isStalled ? [call.path] : [])));
    for (let folder = path; ; folder = dirname(folder)) {
      if (dead.has(folder)) return folder;
      if (folder === dirname(folder)) return undefined;
    }
  }
}

function stalled(path: string): KernError {
  return new KernError('file_stalled', `${path} does not answer`, {
    hint: 'Its drive may be away. It is looked at again when something near it changes.',
  });
}
