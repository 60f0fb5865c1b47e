import { isPiped } from './api.ts';

interface Waiting {
  readonly stdin: NodeJS.ReadStream;
  readonly signal: AbortSignal;
}

/** How long a pipe may stay silent where there is a task without it. */
const firstByteMs = 3_000;

/** Whether something is piped in: its first byte, or its silence for three seconds, or its end decides. */
export async function hasPipedInput(waiting: Waiting): Promise<boolean> {
  return isPiped() && (await firstByte(waiting.stdin, waiting.signal, firstByteMs));
}

function firstByte(stdin: NodeJS.ReadStream, signal: AbortSignal, limitMs: number): Promise<boolean> {
  if (stdin.readableLength > 0) return Promise.resolve(true);
  if (stdin.readableEnded || stdin.destroyed || signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      stdin.off('readable', done).off('end', done).off('error', done).off('close', done);
      resolve(stdin.readableLength > 0);
    };
    const timer = setTimeout(done, limitMs);
    signal.addEventListener('abort', done, { once: true });
    stdin.on('readable', done).on('end', done).on('error', done).on('close', done);
  });
}
