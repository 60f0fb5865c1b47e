import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { contentHash } from './hash.ts';

/** What was last seen at a path. */
export type Print = { readonly kind: 'absent' | 'folder' | 'other' } | FilePrint;

export interface FilePrint {
  readonly kind: 'file';
  /** What the file system says of it. */
  readonly mark: string | undefined;
  /** What it holds, once that was needed. */
  readonly hash: string | undefined;
  /** Looked at so soon after a write that the next one may leave the same mark. */
  readonly isRecent: boolean;
}

/** Linux stamps files by the tick of its clock, 1 to 10 ms. */
const tickMs = 20;

/** Larger files are told apart by what the file system says alone. */
const largest = 16 * 1024 * 1024;

/** What is at a path now. Reads no content unless `hash` says so. */
export function printNow(path: string, options: { readonly hash: boolean }): Print {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return { kind: kindOf(stats) };
  const hash = options.hash ? hashOf(stats, () => readFileSync(path)) : undefined;
  return { kind: 'file', mark: markOf(stats), hash, isRecent: isRecent(stats) };
}

/** In a folder with more below it than this, a file is known by its content only once it has changed. */
export const listed = 5_000;

/** Everything below a folder, or only the names in it, without content, as far as `listed` reaches. `skip` is asked for each name. */
export function printsBelow(
  folder: string,
  skip: (name: string) => boolean,
  reach: 'all' | 'names' = 'all',
): Map<string, Print> {
  const prints = new Map<string, Print>();
  const visit = (inside: string): void => {
    for (const item of readdirSync(inside, { withFileTypes: true })) {
      if (skip(item.name)) continue;
      if (prints.size >= listed) return;
      const path = join(inside, item.name);
      prints.set(path, printNow(path, { hash: false }));
      // A link to a folder is seen as a folder, but not walked here: it may lead round in a circle.
      if (reach === 'all' && item.isDirectory()) visit(path);
    }
  };
  visit(folder);
  return prints;
}

/** The print of now, and whether the content differs from `before`. The content is read if it may have changed, or to know it (`learn`). */
export async function compare(
  path: string,
  before: Print | undefined,
  options: { readonly learn: boolean },
): Promise<{ print: Print; changed: boolean }> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true) {
    const kind = kindOf(stats);
    return { print: { kind }, changed: kind !== (before?.kind ?? 'absent') };
  }
  const mark = markOf(stats);
  const untouched = before?.kind === 'file' && before.mark === mark;
  if (untouched && !(options.learn && isWorthLearning(before))) return { print: before, changed: false };
  const content = await readFile(path).catch(() => undefined);
  if (content === undefined)
    return { print: { kind: 'absent' }, changed: before !== undefined && before.kind !== 'absent' };
  const hash = hashOf(stats, () => content);
  if (untouched && before.hash === undefined) {
    // Written in the middle of this look, its new content would pass for what was there all the time.
    const after = await stat(path).catch(() => undefined);
    if (after?.isFile() !== true || markOf(after) !== mark) return { print: before, changed: true };
  }
  const same = before?.kind === 'file' && (before.hash === hash || (untouched && before.hash === undefined));
  return { print: { kind: 'file', mark, hash, isRecent: isRecent(stats) }, changed: !same };
}

/** Whether what the file system says is not enough to know it by. */
export function isWorthLearning(print: Print): boolean {
  return print.kind === 'file' && (print.hash === undefined || print.isRecent);
}

function isRecent({ ctimeMs }: Stats): boolean {
  return Math.abs(Date.now() - ctimeMs) < tickMs;
}

function hashOf(stats: Stats, read: () => Uint8Array): string {
  return stats.size > largest ? markOf(stats) : contentHash(read());
}

/** The change time is in it: it moves with every write, also with one that restores the others. */
function markOf(stats: Stats): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
}

function kindOf(stats: Stats | undefined): 'absent' | 'folder' | 'other' {
  if (stats === undefined) return 'absent';
  return stats.isDirectory() ? 'folder' : 'other';
}
