import type { searching, ToolContext } from 'kern/contracts';
import { searchBuiltIn } from './built-in.ts';
import { createHeldHits, type HeldFile, type HeldHits, inOrder, isBefore, tellFile } from './held-hits.ts';
import type { Ended, Hits, Query } from './query.ts';
import { argumentsForHits, argumentsForOthers, type Order } from './ripgrep-arguments.ts';
import { createOutputReader } from './ripgrep-output.ts';
import { type Ripgrep, type RipgrepRun, runRipgrep } from './run-ripgrep.ts';

/** `refused`: ripgrep does not take the pattern. `unusable`: this ripgrep does not work; another way has to be found. */
export type RipgrepEnd =
  | { readonly state: 'ended'; readonly ended: Ended }
  | Exclude<RipgrepRun, { readonly state: 'ended' }>;

export interface Pages {
  /** An empty page, in the place of one that was filled before. */
  fresh(): Hits;
  /** Hears of hits as they come. */
  readonly preview: Pick<Hits, 'line'>;
}

/**
 * Searches with ripgrep, and ends it as soon as nothing more is wanted. In order of path it works with one thread alone,
 * so first it goes its own way, and what it finds is put in order afterwards; only where that is too much it is asked
 * again, in order.
 *
 * Files in an old charset are bytes to ripgrep. It is asked which ones those are, unless the pattern is about ASCII
 * alone and shows by its hits; in them the built-in matcher searches.
 */
export async function searchByRipgrep(
  program: string,
  query: Query,
  pages: Pages,
  { context, deadline }: { readonly context: ToolContext; readonly deadline: searching.Deadline },
): Promise<RipgrepEnd> {
  const { pattern } = query;
  const ripgrep = { program, root: query.root, label: `rg ${pattern.rust.slice(0, 60)}`, context, deadline };
  const search = createSearch(ripgrep, query, deadline);
  const isAsked = pattern.reachesBeyondAscii && pattern.needsRipgrep === undefined;
  const others = isAsked ? search.startOthers() : undefined;
  const held = createHeldHits(query, pages.preview);
  const end = await search.hits('any', held).finally(() => held.isDone && others?.stop());
  if (end.state !== 'ended') {
    others?.stop();
    return end;
  }
  if (!held.isDone) {
    const found = await search.decoded((await others?.paths) ?? held.doubtful);
    for (const [path, file] of found.files) held.replace(path, file);
    held.tell(pages.fresh());
    return { state: 'ended', ended: { ...found.ended, unreadable: end.unreadable, timedOut: deadline.hasPassed } };
  }
  return search.inOrder(pages, isAsked, held);
}

type Files = ReadonlyMap<string, HeldFile | undefined>;

function createSearch(ripgrep: Ripgrep, query: Query, deadline: searching.Deadline) {
  const hits = async (order: Order, to: Hits): Promise<RipgrepRun> => {
    const output = createOutputReader(to);
    const taker = {
      push: output.push,
      get isDone() {
        return to.isDone;
      },
    };
    const end = await runRipgrep(ripgrep, argumentsForHits(query, order), taker);
    if (end.state === 'ended' && !to.isDone && !end.timedOut) output.end();
    return end;
  };

  /** Files that are no UTF-8. In order of path it ends after the path that is named. */
  const others = async (order: Order, last: string | undefined, signal?: AbortSignal): Promise<readonly string[]> => {
    const paths: string[] = [];
    const reader = createOthersReader((path, isOther) => {
      if (isOther) paths.push(path);
      return last === undefined || !isBefore(last, path, query.folders);
    });
    await runRipgrep(ripgrep, argumentsForOthers(query, order), reader, signal);
    return paths;
  };

  /** Searches in these files by the built-in matcher; those that it came to are in the answer. */
  const decoded = async (paths: readonly string[]): Promise<{ readonly files: Files; readonly ended: Ended }> => {
    const wanted = inOrder(paths.filter(query.accepts), query.folders);
    if (wanted.length === 0 || query.pattern.needsRipgrep !== undefined) return { files: new Map(), ended: nothing };
    const limits = { characters: mostDecoded, hits: query.mostHits };
    const found = createHeldHits(query, { line: () => undefined }, limits);
    const ended = await searchBuiltIn(query, found, deadline, { paths: wanted });
    // What it did not come to is searched as bytes, or lies behind the page.
    const isWhole = !ended.timedOut && !found.isDone && ended.slow.length === 0;
    const last = isWhole ? wanted.length : wanted.findLastIndex((path) => found.files.has(path)) + 1;
    const left = new Set([...ended.slow, ...ended.large]);
    const searched = wanted.slice(0, last).filter((path) => !left.has(path));
    return { files: new Map(searched.map((path) => [path, found.files.get(path)])), ended };
  };

  return {
    hits,
    decoded,
    startOthers() {
      const abort = new AbortController();
      const paths = others('any', undefined, abort.signal);
      // Whoever asks for them gets the failure; nobody has to ask.
      paths.catch(() => undefined);
      return { paths, stop: () => abort.abort() };
    },

    /** More was found than can be held: one page is read, in order of path. */
    async inOrder(pages: Pages, isAsked: boolean, held: HeldHits): Promise<RipgrepEnd> {
      const first = createMerged(pages.fresh(), new Map(), query.folders);
      let end = await hits('path', first);
      if (end.state !== 'ended') return end;
      // There was no time for it, but something was found.
      if (end.timedOut && first.path === undefined) held.tell(pages.fresh());
      const last = first.isDone ? first.path : undefined;
      const paths = end.timedOut ? [] : isAsked ? await others('path', last) : first.doubtful;
      const found = await decoded(paths);
      if (found.files.size > 0) {
        const second = createMerged(pages.fresh(), found.files, query.folders);
        end = await hits('path', second);
        if (end.state !== 'ended') return end;
        second.end();
      }
      return { state: 'ended', ended: { ...found.ended, unreadable: end.unreadable, timedOut: deadline.hasPassed } };
    },
  };
}

/** Of files that are searched decoded so much is held; it is more than a page. */
const mostDecoded = 4 * 1024 * 1024;

export const nothing: Ended = { unreadable: 0, timedOut: false, slow: [], large: [] };

/** Puts the files that are known already into their places among those that come in order. */
function createMerged(hits: Hits, known: Files, folders: readonly string[]) {
  const waiting = [...inOrder([...known.keys()], folders)];
  const doubtful = new Set<string>();
  let at: string | undefined;
  const tellBefore = (path: string | undefined): void => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      if (path !== undefined && !isBefore(next, path, folders)) return;
      waiting.shift();
      tellFile(next, known.get(next), hits);
    }
  };
  const enter = (path: string): void => {
    if (path === at) return;
    at = path;
    tellBefore(path);
  };
  return {
    get isDone() {
      return hits.isDone;
    },
    /** The file that was told of last. */
    get path(): string | undefined {
      return at;
    },
    get doubtful(): readonly string[] {
      return [...doubtful];
    },
    line(...line: Parameters<Hits['line']>): void {
      const [path, , , text] = line;
      enter(path);
      if (known.has(path)) return;
      if (text.includes('\ufffd')) doubtful.add(path);
      hits.line(...line);
    },
    binary(path: string): void {
      enter(path);
      if (!known.has(path)) hits.binary(path);
    },
    decoded: hits.decoded,
    end: () => tellBefore(undefined),
  };
}

/** Reads `path NUL number LF`, again and again. `take` says whether more is wanted. */
function createOthersReader(take: (path: string, isOther: boolean) => boolean) {
  let rest = '';
  let isDone = false;
  const decoder = new TextDecoder();
  return {
    get isDone() {
      return isDone;
    },
    push(chunk: Uint8Array): void {
      rest += decoder.decode(chunk, { stream: true });
      for (let end = rest.indexOf('\0'); end !== -1 && !isDone; end = rest.indexOf('\0')) {
        const line = rest.indexOf('\n', end);
        if (line === -1) return;
        const path = rest.slice(0, end).replace(/^\.\//, '');
        isDone = !take(path, rest.slice(end + 1, line) !== '0');
        rest = rest.slice(line + 1);
      }
    },
  };
}
