import { readFileSync, readlinkSync } from 'node:fs';

/** The system call `read`, by machine. */
const read: Partial<Record<NodeJS.Architecture, string>> = { x64: '0', arm64: '63' };

/** Whether one of the processes waits for a key: it is inside `read` on a terminal. Told by Linux alone. */
export function readsTerminal(pids: readonly number[]): boolean {
  const call = read[process.arch];
  if (process.platform !== 'linux' || call === undefined) return false;
  return pids.some((pid) => {
    try {
      const [number, descriptor] = readFileSync(`/proc/${pid}/syscall`, 'latin1').split(' ');
      if (number !== call || descriptor === undefined) return false;
      return /^\/dev\/(pts\/|tty)/.test(readlinkSync(`/proc/${pid}/fd/${Number(descriptor)}`));
    } catch {
      // Gone, or not ours to look at.
      return false;
    }
  });
}
