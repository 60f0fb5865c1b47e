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
import { lifeOf, type Owner, self } from './owner.ts';

/** The locks of this process by path, with the token of each: what a last chance takes away. */
export type HeldLocks = Map<string, string>;

interface Content extends Owner {
  readonly token: string;
}

export type Taken =
  | { readonly lock: SessionLock; readonly from?: SessionOwner }
  | { readonly lock: undefined; readonly owner: SessionOwner; readonly token: string };

/** A file that somebody is still writing where links are not known may be half there. */
const youngMs = 10_000;

/**
 * Takes a lock: a file beside what it is for, which says who has it. It is there with all that it says, or not at all.
 * The lock of an owner that is gone is taken over, and that of one that is stopped if it has the token `stopped`; of
 * several who want that, one gets it. Synchronous, a few system calls: between them nothing else of this process happens.
 */
export function takeLock(path: string, held: HeldLocks, stopped?: string, me: Owner = self()): Taken {
  const token = randomHex(8);
  const draft = `${path}.${token}.new`;
  try {
    writeFileSync(draft, JSON.stringify({ ...me, token }), { flag: 'wx', mode: 0o600 });
    for (let tries = 0; tries < 100; tries += 1) {
      if (place(draft, path)) return { lock: holding(path, token, held) };
      const found = read(path);
      if (found === undefined) continue;
      const life = lifeOf(found.content, me, found.heardMs);
      const owner = { ...ownerOf(found.content), ...(life === 'stopped' ? { isStopped: true } : {}) };
      if (life === 'alive' || (life === 'stopped' && found.content.token !== stopped))
        return { lock: undefined, owner, token: found.content.token };
      // The right to replace this very lock is a lock too: whoever comes later finds another one in its place.
      const right = takeLock(`${path}.${found.content.token}`, new Map(), undefined, me);
      if (right.lock === undefined) return right;
      try {
        if (read(path)?.content.token !== found.content.token) continue;
        renameSync(draft, path);
        return { lock: holding(path, token, held), from: owner };
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

/** So long an owner has to be stopped, without a breath, until it is taken for one that nobody wakes again. */
const stoppedMs = 2_500;

/** The same; of an owner that is stopped it is waited whether it stays so. */
export async function takeLockInTime(path: string, held: HeldLocks): Promise<Taken> {
  const taken = takeLock(path, held);
  if (taken.lock !== undefined || taken.owner.isStopped !== true) return taken;
  await new Promise((resolve) => setTimeout(resolve, stoppedMs));
  return takeLock(path, held, taken.token);
}

/** Takes away the locks that this process still has. */
export function releaseAll(held: HeldLocks): void {
  for (const [path, token] of [...held]) release(path, token, held);
}

/** Who has a lock; undefined when nobody does, or nobody who is there. */
export function ownerOfLock(path: string): SessionOwner | undefined {
  const found = read(path);
  return found === undefined || lifeOf(found.content, self(), found.heardMs) === 'gone'
    ? undefined
    : ownerOf(found.content);
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
