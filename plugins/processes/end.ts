import { setTimeout as sleep } from 'node:timers/promises';
import { members, processTable, type Selection } from './table.ts';

/** How long SIGKILL may take: longer only where the system itself holds a process (a dead network drive). */
const killLimitMs = 5_000;

/** SIGTERM to all of it, SIGKILL to what is left after `graceMs`, and a look whether it is gone. True when it is. */
export async function endTree(select: () => Selection, graceMs: number): Promise<boolean> {
  const left = (): readonly number[] => members(processTable(), select());
  let pids = left();
  if (pids.length === 0) return true;
  if (graceMs > 0) {
    const told = new Set<number>();
    const until = performance.now() + graceMs;
    for (let pause = 5; performance.now() < until; pause = Math.min(pause * 2, 100)) {
      // What was forked between a look and its signals is told after the next look.
      const untold = pids.filter((pid) => !told.has(pid));
      for (const pid of untold) told.add(pid);
      send(untold, 'SIGTERM');
      // A stopped process takes its SIGTERM only once it goes on.
      send(untold, 'SIGCONT');
      await sleep(Math.min(pause, Math.max(1, until - performance.now())));
      pids = left();
      if (pids.length === 0) return true;
    }
  }
  const until = performance.now() + killLimitMs;
  for (let pause = 2; performance.now() < until; pause = Math.min(pause * 2, 50)) {
    send(pids, 'SIGKILL');
    await sleep(pause);
    // Again and again: what forked between the look and the signal is found by the next look.
    pids = left();
    if (pids.length === 0) return true;
  }
  return false;
}

/** The same without a pause for grace or for the event loop: the last act of a process. */
export function endTreeNow(select: () => Selection): void {
  for (let round = 0; round < 20; round += 1) {
    const pids = members(processTable(), select());
    if (pids.length === 0) return;
    send(pids, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
  }
}

/** Whether any process of the group is there, dead ones that nobody noticed included. */
export function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    // Somebody else's process would mean it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function send(pids: readonly number[], signal: 'SIGTERM' | 'SIGCONT' | 'SIGKILL'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already, or not ours to signal; the next look tells which.
    }
  }
}
