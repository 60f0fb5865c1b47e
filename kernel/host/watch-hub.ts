import { sep } from 'node:path';
import type { Handle } from '../plugin.ts';
import type { createWatcher } from './watch.ts';

type Watcher = ReturnType<typeof createWatcher>;

interface Subscription {
  readonly paths: readonly string[];
  readonly known: ReadonlyMap<string, string> | undefined;
  readonly fn: (changed: readonly string[]) => void;
}

/** Who wants to know of which paths. The one watcher behind it starts when it is told to, so that no start pays for it. */
export class WatchHub {
  readonly #make: (onChange: (paths: readonly string[]) => void) => Watcher;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #running = new Set<Promise<unknown>>();
  #watcher: Watcher | undefined;
  #closed = false;

  constructor(make: (onChange: (paths: readonly string[]) => void) => Watcher) {
    this.#make = make;
  }

  /** Starts watching; what was subscribed before is watched from now on. */
  begin(): void {
    if (this.#watcher !== undefined || this.#closed) return;
    this.#watcher = this.#make((paths) => this.#tell(paths));
    for (const [owner, { paths, known }] of this.#subscriptions) this.#watcher.watch(owner, paths, known);
  }

  /** One subscription an owner: a second call replaces the first. `known` says what the files held when they were read. */
  watch(
    owner: string,
    paths: readonly string[],
    fn: (changed: readonly string[]) => void,
    known?: ReadonlyMap<string, string>,
  ): Handle {
    const subscription: Subscription = { paths, fn, known };
    this.#subscriptions.set(owner, subscription);
    this.#watcher?.watch(owner, paths, known);
    const dispose = (): void => {
      if (this.#subscriptions.get(owner) === subscription) this.unwatch(owner);
    };
    return { dispose, [Symbol.dispose]: dispose };
  }

  unwatch(owner: string): void {
    this.#subscriptions.delete(owner);
    this.#watcher?.unwatch(owner);
  }

  touched(paths: readonly string[]): void {
    if (paths.length === 0 || !this.#concerns(paths)) return;
    this.begin();
    this.#watcher?.touched(paths);
  }

  /** Counts work that a change began, so that a turn waits for it. */
  during<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const done = (): void => void this.#running.delete(work);
    work.then(done, done);
    return work;
  }

  async pending(): Promise<void> {
    await this.#watcher?.pending();
    while (this.#running.size > 0) {
      await Promise.allSettled(this.#running);
      await this.#watcher?.pending();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#subscriptions.clear();
    await this.#watcher?.close();
  }

  #concerns(paths: readonly string[]): boolean {
    for (const { paths: watched } of this.#subscriptions.values())
      if (paths.some((path) => isUnderAny(path, watched))) return true;
    return false;
  }

  #tell(paths: readonly string[]): void {
    for (const { paths: watched, fn } of [...this.#subscriptions.values()]) {
      const mine = paths.filter((path) => isUnderAny(path, watched));
      if (mine.length > 0) fn(mine);
    }
  }
}

const isUnderAny = (path: string, watched: readonly string[]): boolean =>
  watched.some((one) => path === one || path.startsWith(one + sep) || one.startsWith(path + sep));
