import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, readFile, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, KernError, makeFolder } from 'kern/plugin';

export interface FileLock {
  /** In whose turn: what is shown to a person who has to wait. */
  readonly path: string;
  /** Equal for all names of a file. */
  readonly key: string;
  /** Where locks lie. */
  readonly folder: string;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Who holds a lock. A process id alone is given again to others. */
interface Holder {
  readonly pid: number;
  readonly start: string;
  readonly host: string;
  readonly token: string;
  readonly path: string;
}

/** No change takes this long: what is older, and held by nobody we can look at, was left behind. */
const foreignMs = 120_000;
/** A lock is written at once after it is made. */
const unwrittenMs = 5_000;

/**
 * Takes a file for this process alone, among the kerns of this user; answers how to let go. The lock of a process that
 * is gone is taken over. Where no lock can be made (a read-only home, a cache that is being cleared) there is none.
 */
export async function lockFile(lock: FileLock): Promise<() => Promise<void>> {
  const { folder, key, path, limitMs, signal } = lock;
  const name = join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.lock`);
  const mine: Holder = { ...self(), token: randomBytes(8).toString('hex'), path };
  const end = Date.now() + limitMs;
  try {
    await makeFolder(folder, 0o700);
    while (!(await take(name, mine))) {
      signal?.throwIfAborted();
      if (await isLeft(name)) await remove(name);
      else if (Date.now() > end) throw await busy(name, path);
      else await sleep(2 + Math.random() * 20);
    }
  } catch (error) {
    if (['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST', 'ENOENT'].includes(codeOf(error) ?? ''))
      return async () => undefined;
    throw error;
  }
  return async () => {
    if ((await holderOf(name))?.token === mine.token) await unlink(name).catch(() => undefined); // whoever cleared the cache was faster
  };
}

async function busy(name: string, path: string): Promise<KernError> {
  const holder = await holderOf(name);
  const whose = holder === undefined ? 'another kern' : `another kern (process ${holder.pid} on ${holder.host})`;
  return new KernError('file_busy', `${path} is being changed by ${whose}, which does not come to an end`, {
    hint: `Try again later; if no other kern runs, delete ${name}.`,
  });
}

async function take(name: string, mine: Holder): Promise<boolean> {
  try {
    const handle = await open(name, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(mine));
    } catch (error) {
      await unlink(name).catch(() => undefined); // it is ours: nobody takes over what was just made
      throw error;
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isLeft(name: string): Promise<boolean> {
  const found = await stat(name).catch(() => undefined); // let go of meanwhile
  if (found === undefined) return false;
  const age = Date.now() - found.mtimeMs;
  const holder = await holderOf(name);
  if (holder === undefined) return age > unwrittenMs;
  if (holder.host !== hostname()) return age > foreignMs;
  const start = startOf(holder.pid);
  return start === undefined || (start !== '' && holder.start !== '' && start !== holder.start);
}

/** Of two that see the same lock left behind the slower one must not remove the lock of the faster: one at a time looks again. */
async function remove(name: string): Promise<void> {
  const removing = `${name}.remove`;
  if (!(await take(removing, { ...self(), token: '', path: '' }))) {
    const found = await stat(removing).catch(() => undefined); // done meanwhile
    if (found !== undefined && Date.now() - found.mtimeMs > unwrittenMs) await unlink(removing).catch(() => undefined); // another was faster
    await sleep(5);
    return;
  }
  try {
    if (await isLeft(name)) await unlink(name).catch(() => undefined); // gone is what it should be
  } finally {
    await unlink(removing).catch(() => undefined); // nothing else is done under it
  }
}

async function holderOf(name: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(name, 'utf8')) as Partial<Holder>;
    return typeof holder.pid === 'number' &&
      typeof holder.start === 'string' &&
      typeof holder.host === 'string' &&
      typeof holder.token === 'string'
      ? (holder as Holder)
      : undefined;
  } catch {
    return undefined; // gone, or half-written
  }
}

const self = () => ({ pid: process.pid, start: startOf(process.pid) ?? '', host: hostname() });

/** When a process started, as the system says it; '' where it does not say; undefined if there is no such process. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      // The name of the program stands in brackets and may hold anything; the time is the 20th field after them.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ');
      return fields[0] === 'Z' ? undefined : (fields[19] ?? '');
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return undefined;
    }
  }
  try {
    process.kill(pid, 0);
    return '';
  } catch (error) {
    return codeOf(error) === 'EPERM' ? '' : undefined;
  }
}
