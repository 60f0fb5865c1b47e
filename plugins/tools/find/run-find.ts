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
  /** A setting: how long it may take. */
  readonly seconds: number;
}

const defaultLimit = 1_000;
/** So many files are asked for their time at once. */
const askedAtOnce = 16;

/** Finds files and folders by their names. What cannot be looked for is an error result that says why. */
export async function runFind(
  args: FindArguments,
  { signal, onUpdate, context, seconds }: Running,
): Promise<ToolResult<FindDetails>> {
  const { cwd } = context.where;
  const deadline = searching.createDeadline(signal, seconds);
  const place = await searching.placeOf(args.path ?? '.', cwd, deadline);
  if (place.state === 'refused') return errorResult(place.why);
  if (place.state === 'file') return errorResult(`${args.path} is a file; find looks into folders.`);
  const root = realPath(place.folder);
  const below = searching.globBelow(args.pattern, place.folder, root);
  const wrong = 'refused' in below ? below.refused : searching.whyNoGlob(below.glob);
  if ('refused' in below || wrong !== undefined) return errorResult(`Nothing was looked for: ${wrong}.`);
  const pattern = below.glob;
  const search = createSearch(pattern, root, deadline.signal);
  const limit = args.limit ?? defaultLimit;
  const list = searching.createList(limit);
  const shown = searching.shownPaths(place.folder, cwd);
  const updates = searching.createUpdates(onUpdate, list.text);
  const put = (found: Found): boolean => {
    updates.soon();
    return list.add(`${shown(found.path)}${found.isFolder ? '/' : ''}`);
  };
  const newest = args.sort === 'time' ? createNewest(root, limit) : undefined;
  const look = async (): Promise<void> => {
    for await (const found of search.found()) {
      if (newest !== undefined) await newest.add(found);
      else if (!put(found)) return;
    }
    await newest?.ask();
  };
  try {
    await deadline.ended(look());
    for (const found of newest?.inOrder() ?? []) put(found);
  } finally {
    updates.stop();
  }
  const notices = [fullNotice(list), searching.unreadableNotice(search.unreadable()), deadline.notice];
  const details: FindDetails = {
    path: place.folder,
    found: list.length,
    truncated: list.fullBy !== undefined || deadline.hasPassed,
  };
  if (list.length > 0) return textResult(searching.withNotices(list.text(), notices), details);
  const hint = search.isRootIgnored()
    ? undefined
    : 'What git ignores was left out; to search it, name its folder as path.';
  return textResult(searching.withNotices('No files found matching the pattern', [hint, ...notices]), details);
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

function createSearch(pattern: string, root: string, signal: AbortSignal) {
  const { folders } = searching.readGlob(pattern);
  // As fd and editors have it: who types a capital letter means it.
  const fits = searching.globTest(pattern, { ignoreCase: pattern === pattern.toLowerCase() });
  const from = searching.folderOf(pattern);
  const depth = searching.depthOf(pattern);
  let unreadable = 0;
  let isRootIgnored = false;
  const optionsOf = (rules: searching.IgnoreRules, start: string): searching.WalkOptions => ({
    rules,
    signal,
    // Who writes `.git` means it.
    closed: new Set(/(?:^|\/)\.git(?:\/|$)/.test(pattern) ? [] : ['.git']),
    onUnreadable: () => {
      unreadable += 1;
    },
    ...(depth === undefined ? {} : { depth: depth - (start === '' ? 0 : start.split('/').length) }),
  });
  return {
    isRootIgnored: () => isRootIgnored,
    unreadable: () => unreadable,
    async *found(): AsyncGenerator<Found> {
      const start = await startOf(root, from);
      const above = await searching.rulesAbove(join(root, start));
      isRootIgnored = above.isRootIgnored;
      for await (const entries of searching.walk(join(root, start), optionsOf(above.rules, start))) {
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

/** Of all that is added the newest. Only as many are held as are shown, and as many again. */
function createNewest(root: string, limit: number) {
  let timed: { readonly found: Found; readonly time: number }[] = [];
  let asked: Found[] = [];
  // One more than is shown: then it can be said that there are more.
  const keep = (most: number): void => {
    timed.sort((a, b) => b.time - a.time || searching.byCodePoint(a.found.path, b.found.path));
    timed = timed.slice(0, most);
  };
  const ask = async (): Promise<void> => {
    const wanted = asked;
    asked = [];
    const times = await Promise.all(wanted.map(({ path }) => timeOf(join(root, path))));
    timed.push(...wanted.map((one, at) => ({ found: one, time: times[at] ?? 0 })));
    if (timed.length > 2 * limit + askedAtOnce) keep(limit + 1);
  };
  return {
    ask,
    async add(found: Found): Promise<void> {
      asked.push(found);
      if (asked.length === askedAtOnce) await ask();
    },
    inOrder(): readonly Found[] {
      keep(limit + 1);
      return timed.map((one) => one.found);
    },
  };
}

async function timeOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).mtimeMs;
  } catch {
    // It went meanwhile.
    return 0;
  }
}
