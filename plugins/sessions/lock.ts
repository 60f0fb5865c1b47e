import {
  closeSync,
  constants,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { SessionLock, SessionOwner } from 'kern/contracts';
import { codeOf, KernError } from 'kern/plugin';
import { randomHex } from './names.ts';
import { isAlive, type Owner, self } from './owner.ts';

/** The locks of this process by path, with the token of each: what a last chance takes away. */
export type HeldLocks = Map<string, string>;

interface Content extends Owner {
  readonly token: string;
}

export type Taken =
  | { readonly lock: SessionLock; readonly from?: SessionOwner }
  | { readonly lock: undefined; readonly owner: SessionOwner };

/** A file that somebody is still writing where links are not known may be half there. */
const youngMs = 10_000;

/**
 * Takes a lock: a file beside what it is for, which says who has it. It is there with all that it says, or not at all.
 * The lock of an owner that is gone is taken over; of several who want that, one gets it. Synchronous, a few system
 * calls: between them nothing else of this process happens.
 */
export function takeLock(path: string, held: HeldLocks, me: Owner = self()): Taken {
  const token = randomHex(8);
  const draft = `${path}.${token}.new`;
  try {
    writeFileSync(draft, JSON.stringify({ ...me, token }), { flag: 'wx', mode: 0o600 });
    for (let tries = 0; tries < 100; tries += 1) {
      if (place(draft, path)) return { lock: holding(path, token, held) };
      const found = read(path);
      if (found === undefined) continue;
      if (isAlive(found.content, me, found.heardMs)) return { lock: undefined, owner: ownerOf(found.content) };
      // The right to replace this very lock is a lock too: whoever comes later finds another one in its place.
      const right = takeLock(`${path}.${found.content.token}`, new Map(), me);
      if (right.lock === undefined) return right;
      try {
        if (read(path)?.content.token !== found.content.token) continue;
        renameSync(draft, path);
        return { lock: holding(path, token, held), from: ownerOf(found.content) };
      } finally {
        right.lock.release();
      }
    }
  } finally {
    remove(draft);
  }
  throw new KernError('session_lock_failed', `the lock ${path} comes and goes`, {
    hint: 'another program makes and removes it; try again',
  });
}

/** Takes away the locks that this process still has. */
export function releaseAll(held: HeldLocks): void {
  for (const [path, token] of [...held]) release(path, token, held);
}

/** Who has a lock; undefined when nobody does, or nobody who is there. */
export function ownerOfLock(path: string): SessionOwner | undefined {
  const found = read(path);
  return found === undefined || !isAlive(found.content, self(), found.heardMs) ? undefined : ownerOf(found.content);
}

function holding(path: string, token: string, held: HeldLocks): SessionLock {
  held.set(path, token);
  const mine = identity(path);
  return {
    state() {
      const now = identity(path);
      if (now === undefined) return 'gone';
      return now === mine ? 'held' : 'lost';
    },
    release: () => release(path, token, held),
  };
}

function release(path: string, token: string, held: HeldLocks): void {
  held.delete(path);
  if (read(path)?.content.token === token) remove(path);
}

/** Tells two files at a path apart, without reading them. */
function identity(path: string): string | undefined {
  try {
    const { ino, mtimeMs } = statSync(path);
    return `${ino} ${mtimeMs}`;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Puts the draft in its place if that is free. */
function place(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes(codeOf(error) ?? '')) throw error;
  }
  // A file system without links.
  try {
    const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      writeFileSync(fd, readFileSync(draft));
    } finally {
      closeSync(fd);
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function read(path: string): { readonly content: Content; readonly heardMs: number } | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    const { ino, mtimeMs } = statSync(path);
    const content = contentOf(text);
    if (content !== undefined) return { content, heardMs: Math.max(mtimeMs, lastWord(path)) };
    // Nobody is known by it. While it may still be written it is its writer's.
    const isYoung = Date.now() - mtimeMs < youngMs;
    const nobody = { pid: 0, host: isYoung ? '' : self().host, since: new Date(mtimeMs).toISOString() };
    return { content: { ...self(), ...nobody, start: '', token: `0${ino.toString(16)}` }, heardMs: mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** When the session itself was written last. */
function lastWord(path: string): number {
  return statSync(path.replace(/\.lock$/, ''), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function contentOf(text: string): Content | undefined {
  try {
    const { pid, host, since, start, space, token } = JSON.parse(text);
    // The token becomes part of a name.
    if (typeof pid !== 'number' || typeof host !== 'string' || !/^[0-9a-f]{1,64}$/.test(token)) return undefined;
    return { pid, host, since: String(since), start, space, token };
  } catch {
    return undefined;
  }
}

const ownerOf = ({ pid, host, since }: Owner): SessionOwner => ({ pid, host, since });

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone, or will be taken over as that of a process that has ended.
  }
}
