import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorResult, realPath, searching, type ToolContext, type ToolResult, textResult } from 'kern/contracts';

export interface FindArguments {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly limit?: number | undefined;
  readonly sort?: 'path' | 'time' | undefined;
}

export interface FindDetails {
  /** The folder that was searched. */
  readonly path: string;
  /** Paths that are shown. */
  readonly found: number;
  readonly truncated: boolean;
}

export interface Running {
  readonly signal: AbortSignal;
  readonly onUpdate: (partial: ToolResult) => void;
  readonly context: ToolContext;
}

const defaultLimit = 1_000;
/** Nobody waits longer for a search than this. */
const searchLimitMs = 120_000;
/** So many files are asked for their time at once. */
const askedAtOnce = 16;

/** Finds files and folders by their names. What cannot be looked for is an error result that says why. */
export async function runFind(
  args: FindArguments,
  { signal, onUpdate, context }: Running,
): Promise<ToolResult<FindDetails>> {
  const { cwd } = context.where;
  const place = await searching.placeOf(args.path ?? '.', cwd);
  if (place.state === 'refused') return errorResult(place.why);
  if (place.state === 'file') return errorResult(`${args.path} is a file; find looks into folders.`);
  const pattern = withoutRoot(args.pattern, place.folder);
  const wrong = searching.whyNoGlob(pattern);
  if (wrong !== undefined) return errorResult(`Nothing was looked for: ${wrong}.`);
  const root = realPath(place.folder);
  const timer = AbortSignal.timeout(searchLimitMs);
  const search = await createSearch(pattern, root, AbortSignal.any([signal, timer]));
  const list = searching.createList(args.limit ?? defaultLimit);
  const shown = searching.shownPaths(place.folder, cwd);
  const updates = searching.createUpdates(onUpdate, list.text);
  const put = (found: Found): boolean => {
    updates.soon();
    return list.add(`${shown(found.path)}${found.isFolder ? '/' : ''}`);
  };
  try {
    if (args.sort === 'time')
      for (const found of await newestFirst(root, search.found(), args.limit ?? defaultLimit)) put(found);
    else for await (const found of search.found()) if (!put(found)) break;
  } catch (error) {
    signal.throwIfAborted();
    if (!timer.aborted) throw error;
  } finally {
    updates.stop();
  }
  const notices = [
    fullNotice(list),
    searching.unreadableNotice(search.unreadable()),
    timer.aborted ? `Stopped after ${searchLimitMs / 1000} s; there may be more. Search a smaller folder.` : undefined,
  ];
  const details: FindDetails = {
    path: place.folder,
    found: list.length,
    truncated: list.fullBy !== undefined || timer.aborted,
  };
  if (list.length > 0) return textResult(searching.withNotices(list.text(), notices), details);
  const hint = search.isRootIgnored
    ? undefined
    : 'What git ignores was left out; to search it, name its folder as path.';
  return textResult(searching.withNotices('No files found matching the pattern', [hint, ...notices]), details);
}

/** Models like to give the whole path. */
function withoutRoot(pattern: string, root: string): string {
  return root !== '/' && pattern.startsWith(`${root}/`) ? pattern.slice(root.length) : pattern;
}

function fullNotice({ fullBy, length }: searching.List): string | undefined {
  if (fullBy === undefined) return undefined;
  return fullBy === 'limit'
    ? `The first ${length} are shown; there are more. Make the pattern narrower, or the limit larger.`
    : `The first ${length} are shown (50 KB limit); there are more. Make the pattern or the path narrower.`;
}

interface Found {
  readonly path: string;
  readonly isFolder: boolean;
}

async function createSearch(pattern: string, root: string, signal: AbortSignal) {
  const globs = await searching.createGlobs();
  const { folders } = searching.readGlob(pattern);
  // As fd and editors have it: who types a capital letter means it.
  const fits = globs.test(pattern, { ignoreCase: pattern === pattern.toLowerCase() });
  const from = searching.folderOf(pattern);
  const start = await startOf(root, from);
  const { rules, isRootIgnored } = await searching.rulesAbove(join(root, start));
  const depth = searching.depthOf(pattern);
  let unreadable = 0;
  const options: searching.WalkOptions = {
    rules,
    signal,
    // Who writes `.git` means it.
    closed: new Set(/(?:^|\/)\.git(?:\/|$)/.test(pattern) ? [] : ['.git']),
    onUnreadable: () => {
      unreadable += 1;
    },
    ...(depth === undefined ? {} : { depth: depth - (start === '' ? 0 : start.split('/').length) }),
  };
  return {
    isRootIgnored,
    unreadable: () => unreadable,
    async *found(): AsyncGenerator<Found> {
      for await (const entries of searching.walk(join(root, start), options)) {
        for (const entry of entries) {
          const path = start === '' ? entry.path : `${start}/${entry.path}`;
          const isFolder = entry.kind === 'folder';
          if ((isFolder || !folders) && fits(path)) yield { path, isFolder };
        }
      }
    },
  };
}

/** The folder the pattern names, where it is there as written; the file system may not care for case as we do. */
async function startOf(root: string, folder: string): Promise<string> {
  if (folder === '') return '';
  const found = await lstat(join(root, folder)).catch(() => undefined);
  return found?.isDirectory() === true ? folder : '';
}

/** All of them, by the time they were last changed. Only as many are held as are shown, and as many again. */
async function newestFirst(root: string, found: AsyncIterable<Found>, limit: number): Promise<readonly Found[]> {
  let timed: { readonly found: Found; readonly time: number }[] = [];
  let asked: Found[] = [];
  // One more than is shown: then it can be said that there are more.
  const keep = (most: number): void => {
    timed.sort((a, b) => b.time - a.time || searching.byCodePoint(a.found.path, b.found.path));
    timed = timed.slice(0, most);
  };
  const ask = async (): Promise<void> => {
    const times = await Promise.all(asked.map(({ path }) => timeOf(join(root, path))));
    timed.push(...asked.map((one, at) => ({ found: one, time: times[at] ?? 0 })));
    asked = [];
    if (timed.length > 2 * limit + askedAtOnce) keep(limit + 1);
  };
  for await (const one of found) {
    asked.push(one);
    if (asked.length === askedAtOnce) await ask();
  }
  await ask();
  keep(limit + 1);
  return timed.map((one) => one.found);
}

async function timeOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch {
    // It went meanwhile.
    return 0;
  }
}
