import { dirname } from 'node:path';
import { type Clock, KernError } from 'kern/plugin';

/** Node has four threads for all of its file calls: discovery leaves one to the others, also when a drive stalls. */
const slots = 3;

interface Call {
  readonly path: string;
  isStalled: boolean;
}

/** Lets so many file calls through at a time, and waits so long for each. A call that stalls keeps its slot until it comes back. */
export class Gate {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #running = new Set<Call>();
  readonly #waiting: { readonly call: Call; readonly start: () => void; readonly refuse: (why: Error) => void }[] = [];
  readonly #shared = new Map<string, Promise<unknown>>();
  #isAnyStalled = false;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Calls of one name for one path are one call. Rejects with `file_stalled` where no answer comes. */
  run<T>(name: string, path: string, call: () => Promise<T>): Promise<T> {
    const key = `${name}\0${path}`;
    const known = this.#shared.get(key);
    if (known !== undefined) return known as Promise<T>; // of the same name, so of the same type
    const answer = this.#enter(path).then((entered) => this.#limited(entered, call));
    this.#shared.set(key, answer);
    const forget = (): void => void this.#shared.delete(key);
    answer.then(forget, forget);
    return answer;
  }

  async #enter(path: string): Promise<Call> {
    const call = { path, isStalled: false };
    const dead = this.#deadAbove(path);
    if (dead !== undefined) throw stalled(dead);
    if (this.#running.size < slots) {
      this.#running.add(call);
      return call;
    }
    if (this.#isBlocked()) throw stalled(path);
    const turn = Promise.withResolvers<void>();
    this.#waiting.push({ call, start: turn.resolve, refuse: turn.reject });
    await turn.promise;
    return call;
  }

  #limited<T>(call: Call, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const cancel = this.#clock.after(this.#limitMs, () => {
      // Where the process itself was busy, the answer may be waiting behind this timer.
      setImmediate(() =>
        setImmediate(() => {
          if (!this.#running.has(call)) return;
          call.isStalled = true;
          this.#isAnyStalled = true;
          reject(stalled(call.path));
          if (this.#isBlocked()) for (const { refuse } of this.#waiting.splice(0)) refuse(stalled(call.path));
        }),
      );
    });
    const leave = (): void => {
      cancel();
      this.#running.delete(call);
      this.#isAnyStalled = [...this.#running].some(({ isStalled }) => isStalled);
      this.#next();
    };
    let started: Promise<T>;
    try {
      started = work();
    } catch (error) {
      started = Promise.reject(error);
    }
    started.then(
      (answer) => {
        leave();
        resolve(answer);
      },
      (error: unknown) => {
        leave();
        reject(error);
      },
    );
    return promise;
  }

  #isBlocked(): boolean {
    return this.#isAnyStalled && this.#running.size >= slots && [...this.#running].every(({ isStalled }) => isStalled);
  }

  #next(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const dead = this.#deadAbove(next.call.path);
      if (dead === undefined) {
        this.#running.add(next.call);
        next.start();
        return;
      }
      next.refuse(stalled(dead));
    }
  }

  /** What lies below a path that does not answer would not answer either, and cost another thread. */
  #deadAbove(path: string): string | undefined {
    if (!this.#isAnyStalled) return undefined;
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
