import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { IgnoreRules } from './ignored.ts';

/** A link is never followed; `other` is a pipe, a socket or a device. */
export type EntryKind = 'file' | 'folder' | 'link' | 'other';

export interface WalkEntry {
  /** Below the root, with `/` between its parts. */
  readonly path: string;
  readonly name: string;
  readonly kind: EntryKind;
  readonly isIgnored: boolean;
}

export interface WalkOptions {
  readonly rules: IgnoreRules;
  readonly signal: AbortSignal;
  /** What is ignored is left out, or shown and not entered. Default: left out. */
  readonly ignored?: 'leave' | 'show';
  /** Names that are left out (`leave`) or not entered, like `.git`. */
  readonly closed?: ReadonlySet<string>;
  /** How far down: 1 is the root alone. */
  readonly depth?: number;
  /** Names are in the order of what this makes of them, by code points. Default: of themselves, as ripgrep sorts. */
  readonly sortBy?: (name: string) => string;
  /** Is told of folders that could not be read. */
  readonly onUnreadable?: (path: string, error: unknown) => void;
}

interface Frame {
  readonly entries: readonly WalkEntry[];
  readonly rules: IgnoreRules;
  readonly depth: number;
  at: number;
}

/** How many entries are handed on at a time. */
const batch = 256;

/**
 * Everything below a folder, in order, a folder before what is in it. Only the listings of the folders on the way down
 * are held, and no link is followed, so that neither size nor loops matter.
 */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<readonly WalkEntry[]> {
  const { signal, depth: deepest = Number.POSITIVE_INFINITY } = options;
  const reader = createReader(root, options);
  const stack: Frame[] = [await reader.read({ path: '', rules: options.rules, depth: 1 })];
  let found: WalkEntry[] = [];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const entry = frame.entries[frame.at];
    frame.at += 1;
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    found.push(entry);
    if (found.length >= batch) {
      yield found;
      found = [];
    }
    if (frame.depth < deepest && reader.enters(entry)) {
      const below = await reader.read({ path: entry.path, rules: frame.rules, depth: frame.depth + 1 });
      // The next folder is read while this one is looked through.
      const next = frame.entries.slice(frame.at, frame.at + 32).find(reader.enters);
      if (next !== undefined) reader.ahead({ path: next.path, rules: frame.rules, depth: frame.depth + 1 });
      signal.throwIfAborted();
      stack.push(below);
    }
  }
  if (found.length > 0) yield found;
}

interface Folder {
  readonly path: string;
  readonly rules: IgnoreRules;
  readonly depth: number;
}

function createReader(root: string, options: WalkOptions) {
  const { ignored = 'leave', closed = new Set<string>(), sortBy, onUnreadable } = options;
  const coming = new Map<string, Promise<Frame>>();

  const list = async ({ path, rules: above, depth }: Folder): Promise<Frame> => {
    const absolute = path === '' ? root : join(root, path);
    let names: Dirent[];
    try {
      names = await readdir(absolute, { withFileTypes: true });
    } catch (error) {
      // The folder that was asked for is a matter of its own.
      if (path === '') throw error;
      onUnreadable?.(path, error);
      return { entries: [], rules: above, depth, at: 0 };
    }
    const rules = above.in(absolute, new Set(names.map(({ name }) => name)));
    const entries = names.flatMap((dirent): WalkEntry[] => {
      const { name } = dirent;
      if (ignored === 'leave' && closed.has(name)) return [];
      const kind = kindOf(dirent);
      const isIgnored = rules.ignores(join(absolute, name), kind === 'folder');
      if (isIgnored && ignored === 'leave') return [];
      return [{ path: path === '' ? name : `${path}/${name}`, name, kind, isIgnored }];
    });
    return { entries: sorted(entries, sortBy), rules, depth, at: 0 };
  };

  return {
    enters: ({ kind, name, isIgnored }: WalkEntry): boolean => kind === 'folder' && !isIgnored && !closed.has(name),
    ahead(folder: Folder): void {
      if (coming.has(folder.path)) return;
      const listing = list(folder);
      coming.set(folder.path, listing);
      // Whoever reads it gets the failure; it may be that nobody does.
      listing.catch(() => undefined);
    },
    read(folder: Folder): Promise<Frame> {
      const listing = coming.get(folder.path) ?? list(folder);
      coming.delete(folder.path);
      return listing;
    },
  };
}

function sorted(entries: WalkEntry[], sortBy: WalkOptions['sortBy']): readonly WalkEntry[] {
  if (sortBy === undefined) return entries.sort((a, b) => byCodePoint(a.name, b.name));
  const keyed = entries.map((entry) => ({ entry, key: sortBy(entry.name) }));
  keyed.sort((a, b) => byCodePoint(a.key, b.key) || byCodePoint(a.entry.name, b.entry.name));
  return keyed.map(({ entry }) => entry);
}

function kindOf(dirent: Dirent): EntryKind {
  if (dirent.isFile()) return 'file';
  if (dirent.isDirectory()) return 'folder';
  return dirent.isSymbolicLink() ? 'link' : 'other';
}

/** The order of UTF-8's bytes; JavaScript's own puts what is beyond the first plane too early. */
export function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  return pair.test(a) || pair.test(b) ? bySlowSteps(a, b) : a < b ? -1 : 1;
}

const pair = /[\ud800-\udfff]/;

function bySlowSteps(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    const isPair = left >= 0xd800 && left < 0xe000;
    return isPair === (right >= 0xd800 && right < 0xe000) ? left - right : isPair ? 1 : -1;
  }
  return a.length - b.length;
}
