import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { Handle } from '../plugin.ts';
import { contentHash } from './hash.ts';
import { absentOf, changedSince } from './since.ts';
import { isNamesOnly, type Watcher } from './watch.ts';

interface Subscription {
  readonly paths: readonly string[];
  readonly known: ReadonlyMap<string, string> | undefined;
  /** When it was that they were read. */
  readonly since: number | undefined;
  /** Where that is not known: of `paths`, those that were not there. When one comes, it is told, even if nobody watched. */
  readonly absent: ReadonlySet<string>;
  readonly fn: (changed: readonly string[]) => void;
}

export interface WatchHubOptions {
  readonly make: (onChange: (paths: readonly string[]) => void) => Watcher;
  /** Watching begins: what changed before is not told, and may be looked for. */
  readonly onBegin?: () => void;
}

/** Who wants to know of which paths. The one watcher behind it starts when it is told to, so that no start pays for it. */
export class WatchHub {
  readonly #options: WatchHubOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #running = new Set<Promise<unknown>>();
  #watcher: Watcher | undefined;
  #closed = false;

  constructor(options: WatchHubOptions) {
    this.#options = options;
  }

  /** Starts watching; what was subscribed before is watched from now on. */
  begin(): void {
    if (this.#watcher !== undefined || this.#closed) return;
    this.#watcher = this.#options.make((paths) => this.#tell(paths));
    for (const [owner, subscription] of this.#subscriptions) this.#look(owner, subscription);
    for (const { absent, fn } of [...this.#subscriptions.values()]) {
      const come = [...absent].map((path) => resolve(path)).filter((path) => existsSync(path));
      if (come.length > 0) fn(come);
    }
    this.#options.onBegin?.();
  }

  /**
   * One subscription an owner: a second call replaces the first. `read` says what the files held when they were read, or when
   * it was that they were (ms): what changed between then and now is told as well.
   */
  watch(
    owner: string,
    paths: readonly string[],
    fn: (changed: readonly string[]) => void,
    read?: ReadonlyMap<string, string> | number,
  ): Handle {
    const since = typeof read === 'number' ? read : undefined;
    const known = typeof read === 'number' ? undefined : read;
    // Every start comes by here: nothing is looked at that can be told later, by its stamp.
    const isTold = this.#watcher !== undefined || since !== undefined;
    const absent = isTold ? none : absentOf(known === undefined ? paths : paths.filter((path) => !known.has(path)));
    const all = known && new Map([...(this.#subscriptions.get(owner)?.known ?? []), ...known]);
    const subscription: Subscription = { paths, fn, known: all, since, absent };
    this.#subscriptions.set(owner, subscription);
    this.#look(owner, { paths, since, known });
    const dispose = (): void => {
      if (this.#subscriptions.get(owner) === subscription) this.unwatch(owner);
    };
    return { dispose, [Symbol.dispose]: dispose };
  }

  #look(owner: string, { paths, since, known }: Pick<Subscription, 'paths' | 'since' | 'known'>): void {
    if (this.#watcher === undefined) return;
    // Whatever is there by now is another thing than what was read.
    const changed = since === undefined ? [] : changedSince(paths, since);
    this.#watcher.watch(owner, paths, since === undefined ? known : new Map(changed.map((path) => [path, ''])));
  }

  unwatch(owner: string): void {
    this.#subscriptions.delete(owner);
    this.#watcher?.unwatch(owner);
  }

  /** Looks at these paths at once. Before watching has begun, without a watcher: a short run never starts one. */
  touched(paths: readonly string[]): void {
    if (this.#closed || paths.length === 0) return;
    if (this.#watcher !== undefined) {
      this.#watcher.touched(paths);
      return;
    }
    const given = [...new Set(paths.flatMap((path) => [resolve(path), realPath(path)]))];
    for (const subscription of [...this.#subscriptions.values()]) {
      const changed = changedUnder(given, subscription);
      if (changed.length > 0) subscription.fn(changed);
    }
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

  #tell(paths: readonly string[]): void {
    for (const { paths: watched, fn } of [...this.#subscriptions.values()]) {
      const mine = paths.filter((path) => isUnderAny(path, watched));
      if (mine.length > 0) fn(mine);
    }
  }
}

const none: ReadonlySet<string> = new Set();

/** What differs from what was known. Where nothing was known, a touched file counts as changed. */
function changedUnder(given: readonly string[], { paths, known, absent }: Subscription): readonly string[] {
  const concerned = paths.filter((path) => given.some((one) => isUnder(one, path)));
  if (known === undefined) return concerned.map((path) => resolve(path));
  return concerned.filter((path) => {
    const hash = known.get(path);
    return hash === undefined ? absent.has(path) && existsSync(path) : hashNow(path) !== hash;
  });
}

function hashNow(path: string): string | undefined {
  try {
    return contentHash(readFileSync(path));
  } catch {
    return undefined; // gone
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // gone: the path as given is all there is
  }
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep);

/** Whether what happened at a path is about a watched one: it, what is above it, or what of it is watched. */
function isUnder(path: string, watched: string): boolean {
  const one = resolve(watched);
  if (isBelow(one, path)) return true;
  return isNamesOnly(watched) ? dirname(path) === one : isBelow(path, one);
}

const isUnderAny = (path: string, watched: readonly string[]): boolean => watched.some((one) => isUnder(path, one));
