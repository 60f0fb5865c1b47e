import { fstatSync } from 'node:fs';

/** How long a pipe may stay silent where there is a task without it. */
const firstByteMs = 3_000;

/** Whether stdin may hold something to read: a terminal, a closed one and `/dev/null` do not. It is not opened for that. */
export function isPiped(): boolean {
  try {
    const found = fstatSync(0);
    return found.isFIFO() || found.isFile() || found.isSocket();
  } catch {
    return false; // closed
  }
}

/** Whether something comes: the first byte of a pipe, its end, or its silence for three seconds decides. */
export function hasInput(piped: NodeJS.ReadStream, signal: AbortSignal): Promise<boolean> {
  if (piped.readableLength > 0) return Promise.resolve(true);
  if (piped.readableEnded || piped.destroyed || signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      piped.off('readable', done).off('end', done).off('error', done).off('close', done);
      resolve(piped.readableLength > 0);
    };
    const timer = setTimeout(done, firstByteMs);
    signal.addEventListener('abort', done, { once: true });
    piped.on('readable', done).on('end', done).on('error', done).on('close', done);
  });
}
