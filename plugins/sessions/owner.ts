import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { SessionOwner } from 'kern/contracts';
import { codeOf } from 'kern/plugin';

/** Who has a session, as exactly as the machine can tell processes apart. */
export interface Owner extends SessionOwner {
  /** When its process began, as the system counts; a number of a process is given again. */
  readonly start?: string;
  /** In another one, numbers of processes mean others. */
  readonly space?: string;
}

/** How long an owner that cannot be looked at (another machine, another container) is believed without a word from it. */
const believedMs = 24 * 60 * 60 * 1_000;

/** This process. */
export function self(): Owner {
  const start = procStat(process.pid)?.start;
  const space = processSpace();
  return {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
    ...(start === undefined ? {} : { start }),
    ...(space === undefined ? {} : { space }),
  };
}

/** A process that is `stopped` (Ctrl-Z, SIGSTOP) may be woken at any moment. */
export type Life = 'alive' | 'stopped' | 'gone';

/** Whether an owner may still write. `heardMs` is when anything was last written of what it owns. */
export function lifeOf(owner: Owner, me: Owner, heardMs: number, now: number = Date.now()): Life {
  if (owner.host !== me.host || owner.space !== me.space) return now - heardMs < believedMs ? 'alive' : 'gone';
  if (me.start === undefined) return answers(owner.pid) ? 'alive' : 'gone';
  const found = procStat(owner.pid);
  const isSame = found !== undefined && (owner.start === undefined || found.start === owner.start);
  if (!isSame || found.state === 'Z' || found.state === 'X') return 'gone';
  return found.state === 'T' ? 'stopped' : 'alive';
}

function answers(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process is one.
    return codeOf(error) === 'EPERM';
  }
}

/** State and start of a process. Its name, which may hold anything, ends at the last bracket. */
function procStat(pid: number): { readonly state: string; readonly start: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '' };
  } catch {
    // There is no such process, or no /proc.
    return undefined;
  }
}

function processSpace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Elsewhere than on Linux there is one only.
    return undefined;
  }
}
