import { randomBytes } from 'node:crypto';
import { open, readFile, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, KernError } from '../error.ts';

/** A holder of this age has stopped without ending: no work under a lock takes seconds. */
const staleMs = 30_000;

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

/** Runs `work` while no other process runs under the same lock file. Waits for at most `limitMs`. */
export async function withLock<T>(file: string, work: () => Promise<T>, limitMs = 10_000): Promise<T> {
  const mine: Holder = { pid: process.pid, host: hostname(), token: randomBytes(8).toString('hex') };
  const end = Date.now() + limitMs;
  while (!(await take(file, mine))) {
    if (await isStale(file)) await breakLock(file);
    else if (Date.now() > end) {
      throw new KernError('lock_busy', `${file} is held by another kern for too long.`, {
        hint: 'If no other kern runs, delete that file.',
      });
    } else await sleep(5 + Math.random() * 20);
  }
  try {
    return await work();
  } finally {
    if ((await holderOf(file))?.token === mine.token) await unlink(file).catch(() => undefined); // broken by another, who thought us dead
  }
}

async function take(file: string, mine: Holder): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(mine));
    } finally {
      await handle.close();
    }
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/** Held by a process of this machine that is gone, or too old. One that is just being written is neither. */
async function isStale(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return false;
  if (Date.now() - found.mtimeMs > staleMs) return true;
  const holder = await holderOf(file);
  return holder !== undefined && holder.host === hostname() && !isAlive(holder.pid);
}

/** Two that break the same lock must not break the next one too: only who holds the second lock looks again and breaks. */
async function breakLock(file: string): Promise<void> {
  const breaking = `${file}.break`;
  const mine: Holder = { pid: process.pid, host: hostname(), token: '' };
  if (!(await take(breaking, mine))) {
    const found = await stat(breaking).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > staleMs) await unlink(breaking).catch(() => undefined); // another was faster
    await sleep(10);
    return;
  }
  try {
    if (await isStale(file)) await unlink(file).catch(() => undefined); // its holder came back and let go
  } finally {
    await unlink(breaking).catch(() => undefined); // nothing else is done under it
  }
}

async function holderOf(file: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(file, 'utf8')) as Partial<Holder>;
    return typeof holder.pid === 'number' && typeof holder.host === 'string' && typeof holder.token === 'string'
      ? (holder as Holder)
      : undefined;
  } catch {
    return undefined; // gone, or half-written
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === 'EPERM';
  }
}
