import type { CommandHost } from 'kern/contracts';
import { KernError } from 'kern/plugin';

/** How long a pipe may stay silent where there is a message without it. */
const firstByteMs = 3_000;
const most = 32 * 1_048_576;

/** All that is piped in; undefined where nothing is. With a message, a pipe that stays silent for 3 s is left alone. */
export async function readPiped(
  host: Pick<CommandHost, 'piped' | 'signal'>,
  hasMessage: boolean,
): Promise<string | undefined> {
  const { piped: stdin, signal } = host;
  if (stdin === undefined) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = hasMessage ? setTimeout(resolve, firstByteMs) : undefined;
  const onData = (chunk: Buffer | string): void => {
    clearTimeout(timer);
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    chunks.push(bytes);
    if (size > most)
      reject(
        new KernError('usage', `more than ${most / 1_048_576} MB were piped in`, {
          hint: 'Put it in a file and name the file in the message.',
        }),
      );
  };
  const done = (): void => resolve();
  stdin.on('data', onData).on('end', done).on('error', done).on('close', done);
  signal.addEventListener('abort', done, { once: true });
  try {
    if (!stdin.readableEnded) await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', done);
    stdin.off('data', onData).off('end', done).off('error', done).off('close', done);
    stdin.pause();
  }
  return Buffer.concat(chunks).toString('utf8');
}
