import { setImmediate as otherWork } from 'node:timers/promises';
import type { SessionStorage, SessionSummary } from 'kern/contracts';
import { glance, type ListedFile } from './glance.ts';
import { readIndex, writeIndex } from './index-file.ts';
import type { Indexed } from './indexed.ts';

export interface ListOptions {
  readonly storage: Pick<SessionStorage, 'list' | 'readSync'>;
  /** Folders in which session files lie side by side. */
  readonly folders: readonly string[];
  /** Where it is kept what is known of files; undefined: nowhere. */
  readonly indexFile: string | undefined;
  /** Only sessions of this working directory. */
  readonly cwd?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** So many files are looked at before others get their turn. */
const turn = 20;
/** Files of other folders that are remembered, whoever listed them. */
const mostElsewhere = 20_000;

/** The sessions of folders, newest first. Files that have not changed are not read. */
export async function listSessions(options: ListOptions): Promise<readonly SessionSummary[]> {
  const { storage, folders, indexFile, cwd, signal } = options;
  const known = indexFile === undefined ? new Map<string, Indexed>() : await readIndex(indexFile);
  const files = await filesIn(storage, folders);
  const now = new Map<string, Indexed>();
  let isChanged = false;
  for (const [nth, file] of files.entries()) {
    signal?.throwIfAborted();
    const before = known.get(file.path);
    if (before !== undefined && before.size === file.size && before.modifiedMs === file.modifiedMs) {
      now.set(file.path, before);
      continue;
    }
    if (nth % turn === 0) await otherWork();
    const seen = looked(storage, file, before);
    if (seen !== undefined) now.set(file.path, seen);
    isChanged = true;
  }
  const listed = new Set(files.map(({ path }) => path));
  const gone = [...known.keys()].filter((path) => !listed.has(path) && folders.some((folder) => isIn(path, folder)));
  if (indexFile !== undefined && (isChanged || gone.length > 0)) {
    for (const path of gone) known.delete(path);
    const elsewhere = [...known].filter(([path]) => !listed.has(path)).slice(-mostElsewhere);
    await writeIndex(indexFile, new Map([...elsewhere, ...now]));
  }
  return [...now]
    .flatMap(([path, seen]) => (seen.isNone === true ? [] : [summaryOf(path, seen)]))
    .filter((summary) => cwd === undefined || summary.cwd === cwd)
    .sort((a, b) => (a.modified < b.modified ? 1 : a.modified > b.modified ? -1 : a.file < b.file ? 1 : -1));
}

async function filesIn(storage: ListOptions['storage'], folders: readonly string[]): Promise<readonly ListedFile[]> {
  const files: ListedFile[] = [];
  for (const folder of folders) files.push(...(await storage.list(folder)));
  return files;
}

/** Undefined for one that cannot be read: it went meanwhile, or is another user's. */
function looked(storage: ListOptions['storage'], file: ListedFile, before: Indexed | undefined): Indexed | undefined {
  try {
    return glance(storage, file, before);
  } catch {
    return undefined;
  }
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(folder) && /^[/\\][^/\\]+$/.test(path.slice(folder.length));
}

function summaryOf(file: string, seen: Indexed): SessionSummary {
  const { id, name, cwd, created, messages, tail, firstMessage, parentSession, size, last, modifiedMs } = seen;
  return {
    id,
    file,
    name: name === '' ? undefined : name,
    cwd,
    created,
    // Copied files are not newer than what was said in them.
    modified: Number.isNaN(Date.parse(last)) ? new Date(modifiedMs).toISOString() : last,
    messages: messages + tail,
    firstMessage,
    ...(parentSession === undefined ? {} : { parentSession }),
    size,
  };
}
