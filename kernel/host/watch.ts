import { realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { codeOf, KernError, messageOf } from '../error.ts';
import { compare, isWorthLearning, listed, type Print, printNow, printsBelow } from './fingerprint.ts';

export interface WatcherOptions {
  /** How long it stays quiet before changes are told. Default 50. */
  readonly debounceMs?: number;
  /** Absolute paths whose content changed, appeared or went, each batch once. */
  readonly onChange: (paths: readonly string[]) => void;
  readonly onError: (error: unknown) => void;
}

export interface Watcher {
  /**
   * What `owner` depends on from now on: files, folders with all below them, and paths that are not there yet. A path that
   * ends in a slash stands for a folder and the names in it: what comes and goes there is told, what is written there or
   * happens further down is not. `known` has the hash of what the owner read, so that a change since then is told too.
   */
  watch(owner: string, paths: readonly string[], known?: ReadonlyMap<string, string>): void;
  unwatch(owner: string): void;
  /** Looks at these paths at once, and for a folder at all below it, without waiting for a file event. */
  touched(paths: readonly string[]): void;
  /** Resolves when no debounce window is open and nothing is being compared. */
  pending(): Promise<void>;
  close(): Promise<void>;
}

/** A build that never pauses is told of once in a while. */
const longestWindowMs = 1_000;
/** Comparisons under way at a time. */
const width = 32;
/** How many paths nobody wants any more are put up with, before watching starts over without them. */
const staleLimit = 64;

/** How far below a folder somebody looks. */
type Reach = 'all' | 'names';

/** Watches for everybody with one chokidar watcher, which starts with the first path. Tells of changed content only. */
export function createWatcher(options: WatcherOptions): Watcher {
  return new ContentWatcher(options);
}

class ContentWatcher implements Watcher {
  readonly #options: WatcherOptions;
  readonly #owners = new Map<string, ReadonlyMap<string, Reach>>();
  /** How many owners want a path, and how many of them all that is below. */
  readonly #wanted = new Map<string, Record<Reach, number>>();
  readonly #seen = new Map<string, Print>();
  /** What was handed to the running chokidar, and what it was then. */
  #handed = new Map<string, Print['kind']>();
  #chokidar: FSWatcher | undefined;
  /** Starting, adding and closing, in turn. */
  #work: Promise<void> = Promise.resolve();
  /** chokidar has to look again at a folder that it looked at before. */
  #isStale = false;
  #dirty = new Set<string>();
  #window: { timer: NodeJS.Timeout; readonly since: number; readonly closed: PromiseWithResolvers<void> } | undefined;
  #comparing: Promise<void> | undefined;
  readonly #comparisons = new Map<string, Promise<void>>();
  #learning: Promise<void> = Promise.resolve();
  readonly #rechecks = new Set<NodeJS.Timeout>();
  readonly #reported = new Set<string>();
  #closed = false;

  constructor(options: WatcherOptions) {
    this.#options = options;
  }

  watch(owner: string, paths: readonly string[], known: ReadonlyMap<string, string> = new Map()): void {
    if (this.#closed) return;
    const before = this.#owners.get(owner) ?? new Map<string, Reach>();
    const after = reaches(paths);
    this.#owners.set(owner, after);
    for (const [path, reach] of after) if (before.get(path) !== reach) this.#want(path, reach);
    for (const [path, reach] of before) if (after.get(path) !== reach) this.#release(path, reach);
    for (const [path, hash] of known) if (after.has(resolve(path))) this.#remember(resolve(path), hash);
    this.#handOver();
  }

  unwatch(owner: string): void {
    const before = this.#owners.get(owner) ?? new Map<string, Reach>();
    this.#owners.delete(owner);
    for (const [path, reach] of before) this.#release(path, reach);
    this.#handOver();
  }

  touched(paths: readonly string[]): void {
    const given = new Set(paths.flatMap((path) => [resolve(path), realPath(path)]));
    const differing = [...given].flatMap((path) => this.#knownAt(path)).filter((path) => this.#differs(path));
    const noted = differing.map((path) => this.#note(path));
    if (noted.includes(true)) this.#flush();
  }

  async pending(): Promise<void> {
    while (this.#window !== undefined || this.#comparing !== undefined) {
      await this.#window?.closed.promise;
      await this.#comparing;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#closeWindow();
    this.#owners.clear();
    this.#wanted.clear();
    await this.#work;
    for (const timer of this.#rechecks) clearTimeout(timer);
    await this.#chokidar?.close();
    this.#chokidar = undefined;
  }

  #want(path: string, reach: Reach): void {
    const counts = this.#wanted.get(path) ?? { all: 0, names: 0 };
    const isNew = counts.all + counts.names === 0;
    const isWider = reach === 'all' && counts.all === 0;
    this.#wanted.set(path, { ...counts, [reach]: counts[reach] + 1 });
    if (!isNew && !isWider) return;
    // chokidar looked past what was below: it has to look again.
    if (!isNew) this.#handed.delete(path);
    if (!isNew && this.#seen.get(path)?.kind === 'folder') this.#isStale = true;
    // Synchronously, so that whatever changes from here on is a change.
    const print = this.#readable(() => printNow(path, { hash: true })) ?? { kind: 'absent' };
    if (isNew) this.#seen.set(path, print);
    if (print.kind !== 'folder') return;
    for (const [inside, found] of this.#printsIn(path)) if (!this.#seen.has(inside)) this.#seen.set(inside, found);
  }

  /** What is wanted of a folder. */
  #printsIn(folder: string): ReadonlyMap<string, Print> {
    const reach = this.#isWhole(folder) ? 'all' : 'names';
    return this.#readable(() => printsBelow(folder, isPassedOver, reach)) ?? new Map<string, Print>();
  }

  /** Somebody wants all that is below. */
  #isWhole(folder: string): boolean {
    for (let above = folder; ; above = dirname(above)) {
      if ((this.#wanted.get(above)?.all ?? 0) > 0) return true;
      if (above === dirname(above)) return false;
    }
  }

  #release(path: string, reach: Reach): void {
    const counts = this.#wanted.get(path) ?? { all: 0, names: 0 };
    const left = { ...counts, [reach]: counts[reach] - 1 };
    if (left.all + left.names > 0) {
      this.#wanted.set(path, left);
      return;
    }
    this.#wanted.delete(path);
    for (const seen of this.#seen.keys())
      if (isSameOrBelow(seen, path) && !this.#concerns(seen)) this.#seen.delete(seen);
  }

  /** What an owner read is what it knows: if something else is there by now, it is told. */
  #remember(path: string, hash: string): void {
    const print = this.#seen.get(path);
    if (print?.kind === 'file' && print.hash === hash) return;
    this.#seen.set(path, { kind: 'file', mark: undefined, hash, isRecent: false });
    this.#note(path);
  }

  /** An explicit path, or one below a watched folder that is not passed over. */
  #concerns(path: string): boolean {
    return this.#reachTo(path) !== undefined;
  }

  /** Whether the content of a path counts, or only that there is something of that name. */
  #reachTo(path: string): Reach | undefined {
    if (this.#wanted.has(path)) return 'all';
    let reach: Reach | undefined;
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const counts = this.#wanted.get(folder);
      if (counts !== undefined && !relative(folder, path).split(sep).some(isPassedOver)) {
        if (counts.all > 0) return 'all';
        if (folder === dirname(path)) reach = 'names';
      }
      if (folder === dirname(folder)) return reach;
    }
  }

  #handOver(): void {
    const stale = [...this.#handed].filter(([path]) => !this.#wanted.has(path));
    // chokidar ignores for ever what it was told to unwatch, also below a folder it is given later: it starts over instead.
    const restart = this.#isStale || stale.length > staleLimit || stale.some(([, kind]) => kind === 'folder');
    this.#isStale = false;
    if (restart) this.#handed = new Map();
    const fresh = [...this.#wanted.keys()].filter((path) => !this.#handed.has(path));
    if (fresh.length === 0 && !restart) return;
    for (const path of fresh) this.#handed.set(path, this.#seen.get(path)?.kind ?? 'absent');
    this.#work = this.#work.then(() => this.#add(fresh, restart)).catch((error: unknown) => this.#fail(error));
  }

  async #add(paths: readonly string[], restart: boolean): Promise<void> {
    if (this.#closed) return;
    const old = restart ? this.#chokidar : undefined;
    if (restart) this.#chokidar = undefined;
    const watcher = this.#chokidar ?? (await this.#start());
    if (this.#closed) return watcher.close();
    this.#chokidar = watcher;
    watcher.add([...paths]);
    await old?.close();
    // A path that went before chokidar looked is one that, to chokidar, never was.
    const timer = setTimeout(
      () => {
        this.#rechecks.delete(timer);
        for (const seen of this.#seen.keys()) if (paths.some((path) => isSameOrBelow(seen, path))) this.#heard(seen);
      },
      10 * (this.#options.debounceMs ?? 50),
    );
    this.#rechecks.add(timer.unref());
  }

  async #start(): Promise<FSWatcher> {
    const { watch } = await import('chokidar');
    const watcher = watch([], {
      persistent: false,
      atomic: false,
      ignorePermissionErrors: true,
      ignored: (path) => !this.#concerns(resolve(path)),
    });
    // The first look is listened to as well: what changed before it began shows there.
    watcher.on('all', (_event, path) => this.#heard(resolve(path)));
    watcher.on('error', (error) => this.#fail(error));
    return watcher;
  }

  /** An event of what is known already, of a touched path or of the first look, opens no window: a turn would wait for it. */
  #heard(path: string): void {
    if (this.#closed || !this.#concerns(path)) return;
    const underWay = this.#comparisons.get(path);
    if (underWay !== undefined) {
      void underWay.then(() => this.#heard(path)); // what is known of it is about to be replaced
      return;
    }
    const seen = this.#seen.get(path);
    if (this.#differs(path)) this.#note(path);
    else if (seen !== undefined && isWorthLearning(seen) && this.#seen.size <= listed && this.#reachTo(path) === 'all')
      this.#learn(path);
  }

  /** By what the file system says, without reading. */
  #differs(path: string): boolean {
    const before = this.#seen.get(path);
    const now = this.#readable(() => printNow(path, { hash: false })) ?? { kind: 'absent' };
    if (now.kind !== (before?.kind ?? 'absent')) return true;
    if (this.#reachTo(path) === 'names') return false;
    return now.kind === 'file' && before?.kind === 'file' && now.mark !== before.mark;
  }

  /** A path, and for a folder all that somebody watches below it, what has just come included. */
  #knownAt(path: string): string[] {
    if (this.#readable(() => printNow(path, { hash: false }))?.kind !== 'folder') return [path];
    const watched = [...this.#wanted.keys()].filter((wanted) => isSameOrBelow(wanted, path));
    const folders = watched.filter((wanted) => this.#seen.get(wanted)?.kind === 'folder');
    if (this.#isWhole(path)) folders.push(path);
    const come = folders.flatMap((folder) => [...this.#printsIn(folder).keys()]);
    return [path, ...new Set([...this.#seen.keys()].filter((seen) => isSameOrBelow(seen, path)).concat(watched, come))];
  }

  /** Reads what is there, so that a touch can be told from a change later. */
  #learn(path: string): void {
    this.#learning = this.#learning.then(async () => {
      if (this.#closed) return;
      const before = this.#seen.get(path);
      const { changed, print } = await compare(path, before, { learn: true });
      if (changed) {
        // What the file system says did not give it away.
        if (before?.kind === 'file' && this.#seen.get(path) === before)
          this.#seen.set(path, { ...before, mark: undefined });
        this.#note(path);
      } else if (this.#concerns(path)) this.#seen.set(path, print);
    });
  }

  #note(path: string): boolean {
    if (this.#closed || !this.#concerns(path)) return false;
    this.#dirty.add(path);
    const quiet = (): NodeJS.Timeout => setTimeout(() => this.#flush(), this.#options.debounceMs ?? 50);
    this.#window ??= { timer: quiet(), since: performance.now(), closed: Promise.withResolvers<void>() };
    if (performance.now() - this.#window.since > longestWindowMs) return true;
    clearTimeout(this.#window.timer);
    this.#window.timer = quiet();
    return true;
  }

  #closeWindow(): void {
    clearTimeout(this.#window?.timer);
    this.#window?.closed.resolve();
    this.#window = undefined;
  }

  #flush(): void {
    this.#closeWindow();
    const batch = [...this.#dirty];
    this.#dirty = new Set();
    const comparing = (this.#comparing ?? Promise.resolve()).then(() => this.#compare(batch));
    this.#comparing = comparing;
    for (const path of batch) this.#comparisons.set(path, comparing);
    void comparing.then(() => {
      for (const path of batch) if (this.#comparisons.get(path) === comparing) this.#comparisons.delete(path);
      if (this.#comparing === comparing) this.#comparing = undefined;
    });
  }

  async #compare(batch: readonly string[]): Promise<void> {
    const changed: string[] = [];
    const rest = batch.values();
    const worker = async (): Promise<void> => {
      for (const path of rest) if (await this.#hasChanged(path)) changed.push(path);
    };
    await Promise.all(Array.from({ length: Math.min(width, batch.length) }, worker));
    if (this.#closed || changed.length === 0) return;
    try {
      this.#options.onChange(changed.sort());
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #hasChanged(path: string): Promise<boolean> {
    const before = this.#seen.get(path);
    if (this.#reachTo(path) === 'names') return this.#hasComeOrGone(path, before);
    const { print, changed } = await compare(path, before, { learn: false });
    // Someone may have said meanwhile what they know of it.
    if (this.#seen.get(path) !== before || !this.#concerns(path)) return changed && this.#concerns(path);
    if (print.kind === 'absent' && !this.#wanted.has(path)) this.#seen.delete(path);
    else this.#seen.set(path, print);
    return changed;
  }

  #hasComeOrGone(path: string, before: Print | undefined): boolean {
    const print = this.#readable(() => printNow(path, { hash: false })) ?? { kind: 'absent' };
    if (print.kind === 'absent') this.#seen.delete(path);
    else this.#seen.set(path, print);
    return print.kind !== (before?.kind ?? 'absent');
  }

  #readable<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.#fail(error); // not readable now is as good as not there
      return undefined;
    }
  }

  /** Once a kind: a full table of watches would say it for every file. */
  #fail(error: unknown): void {
    const code = codeOf(error) ?? messageOf(error);
    if (this.#closed || this.#reported.has(code)) return;
    this.#reported.add(code);
    const full = code === 'ENOSPC' || code === 'EMFILE';
    const hint = full
      ? 'raise fs.inotify.max_user_watches, or ulimit -n; until then edits by other programs may go unseen'
      : 'edits of this path may go unseen';
    this.#options.onError(
      new KernError('watch_failed', `a path cannot be watched: ${messageOf(error)}`, { hint, cause: error }),
    );
  }
}

/** What is wanted of each path. Who wants all of a folder also wants its names. */
function reaches(paths: readonly string[]): ReadonlyMap<string, Reach> {
  const found = new Map<string, Reach>();
  for (const path of paths) {
    const resolved = resolve(path);
    if (!isNamesOnly(path)) found.set(resolved, 'all');
    else if (!found.has(resolved)) found.set(resolved, 'names');
  }
  return found;
}

/** `skills/`: the folder and the names in it. */
export function isNamesOnly(path: string): boolean {
  return path.endsWith('/') || path.endsWith(sep);
}

function isPassedOver(name: string): boolean {
  return name === 'node_modules' || name === '.git';
}

function isSameOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path); // gone: the path as given is all there is
  }
}
