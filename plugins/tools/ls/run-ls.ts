import type { Stats } from 'node:fs';
import { lstat, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorResult, formatBytes, searching, type ToolContext, type ToolResult, textResult } from 'kern/contracts';

export interface LsArguments {
  readonly path?: string | undefined;
  readonly limit?: number | undefined;
  readonly recursive?: boolean | undefined;
  readonly depth?: number | undefined;
}

export interface LsDetails {
  readonly path: string;
  /** Entries that are shown. */
  readonly entries: number;
  readonly truncated: boolean;
}

export interface Running {
  readonly signal: AbortSignal;
  readonly onUpdate: (partial: ToolResult) => void;
  readonly context: ToolContext;
  /** A setting: how long it may take. */
  readonly seconds: number;
}

const defaultLimit = 500;
/** So many entries are looked at at once. */
const askedAtOnce = 16;

/** What is in a folder, and below it when asked for. What cannot be listed is an error result that says why. */
export async function runLs(
  args: LsArguments,
  { signal, onUpdate, context, seconds }: Running,
): Promise<ToolResult<LsDetails>> {
  const deadline = searching.createDeadline(signal, seconds);
  const { path = '.', limit = defaultLimit, depth, recursive } = args;
  const place = await searching.placeOf(path, context.where.cwd, deadline);
  if (place.state === 'refused') return errorResult(place.why);
  if (place.state === 'file') {
    const line = await lineOf(place.folder, { path: place.name, kind: 'file', isIgnored: false });
    return textResult(line, { path: join(place.folder, place.name), entries: 1, truncated: false });
  }
  const deepest = depth ?? (recursive === true ? Number.POSITIVE_INFINITY : 1);
  const list = searching.createList(limit);
  const updates = searching.createUpdates(onUpdate, list.text);
  let unreadable = 0;
  const look = async (): Promise<void> => {
    const entries = entriesOf(place.folder, deepest, deadline.signal, () => {
      unreadable += 1;
    });
    for await (const group of entries) {
      const wanted = group.slice(0, limit - list.length + 1);
      if (!(await put(list, place.folder, wanted))) break;
      updates.soon();
    }
  };
  try {
    await deadline.ended(look());
  } finally {
    updates.stop();
  }
  const details: LsDetails = {
    path: place.folder,
    entries: list.length,
    truncated: list.fullBy !== undefined || deadline.hasPassed,
  };
  const text = list.length > 0 ? list.text() : deadline.hasPassed ? '(nothing was read in time)' : '(empty folder)';
  const notices = [fullNotice(list), searching.unreadableNotice(unreadable), deadline.notice];
  return textResult(searching.withNotices(text, notices), details);
}

/** False when the list is full. */
async function put(list: searching.List, folder: string, entries: readonly Shown[]): Promise<boolean> {
  for (let at = 0; at < entries.length; at += askedAtOnce) {
    const lines = await Promise.all(entries.slice(at, at + askedAtOnce).map((entry) => lineOf(folder, entry)));
    for (const line of lines) if (!list.add(line)) return false;
  }
  return true;
}

function fullNotice({ fullBy, length }: searching.List): string | undefined {
  if (fullBy === undefined) return undefined;
  return fullBy === 'limit'
    ? `The first ${length} are shown; there are more. Make the limit larger, or list a folder below.`
    : `The first ${length} are shown (50 KB limit); there are more. List a folder below, or use find.`;
}

interface Shown {
  readonly path: string;
  readonly kind: searching.EntryKind;
  readonly isIgnored: boolean;
}

/** In the order of a dictionary. Below the folder, what git ignores and `.git` itself are shown and not entered. */
async function* entriesOf(
  folder: string,
  depth: number,
  signal: AbortSignal,
  onUnreadable: () => void,
): AsyncGenerator<readonly Shown[]> {
  const { rules } = depth > 1 ? await searching.rulesAbove(folder) : { rules: searching.noRules };
  const closed = new Set(['.git']);
  const options: searching.WalkOptions = {
    rules,
    signal,
    depth,
    ignored: 'show',
    closed,
    sortBy: asInDictionary,
    onUnreadable,
  };
  yield* searching.walk(folder, options);
}

/** Case decides only between names that are the same without it. */
const asInDictionary = (name: string): string => name.toLowerCase();

async function lineOf(folder: string, { path, kind, isIgnored }: Shown): Promise<string> {
  const absolute = join(folder, path);
  const name = searching.oneLine(path);
  const mark = isIgnored ? '  (ignored by git)' : '';
  if (kind === 'folder') return `${name}/${mark}`;
  if (kind === 'link') return `${name} -> ${await targetOf(absolute)}${mark}`;
  const found = await lstat(absolute).catch(() => undefined);
  if (found === undefined) return `${name}  (gone)`;
  return found.isFile() ? `${name}  ${formatBytes(found.size)}${mark}` : `${name}  (${specialKind(found)})${mark}`;
}

async function targetOf(link: string): Promise<string> {
  try {
    const target = searching.oneLine(await readlink(link));
    const found = await stat(link).catch(() => undefined);
    if (found === undefined) return `${target} (leads nowhere)`;
    return found.isDirectory() && !target.endsWith('/') ? `${target}/` : target;
  } catch {
    return '(gone)';
  }
}

function specialKind(stats: Stats): string {
  if (stats.isFIFO()) return 'pipe';
  return stats.isSocket() ? 'socket' : 'device';
}
