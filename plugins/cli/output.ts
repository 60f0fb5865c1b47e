import { codeOf, messageOf } from 'kern/plugin';

/** stdout, and what to do when its reader has gone. */
export interface Output {
  /** Whoever read our output is gone: nothing more is asked of us. */
  readonly isBroken: boolean;
  /** Why what was asked for could not be written, though somebody waits for it. */
  readonly failure: string | undefined;
  /** All that was written is on its way. */
  drained(): Promise<void>;
  dispose(): void;
}

/** A closed pipe (`kern … | head -1`) is no error; a full disk is. `onBroken` ends what would only write on. */
export function guardOutput(streams: readonly NodeJS.WriteStream[], onBroken: () => void): Output {
  let isBroken = false;
  let failure: string | undefined;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (isBroken || failure !== undefined) return;
    if (isGone(error)) isBroken = true;
    else failure = sentence(error);
    onBroken();
  };
  for (const stream of streams) stream.on('error', onError);
  return {
    get isBroken() {
      return isBroken;
    },
    get failure() {
      return failure;
    },
    drained: async () => {
      await Promise.all(streams.map(flushed));
      // A write that failed says so one turn later.
      await new Promise((resolve) => setImmediate(resolve));
    },
    dispose: () => {
      for (const stream of streams) stream.off('error', onError);
    },
  };
}

function sentence(error: unknown): string {
  const full = codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';
  return `the output cannot be written: ${full ? `there is no room left where it goes (${codeOf(error)})` : messageOf(error)}`;
}

const isGone = (error: NodeJS.ErrnoException): boolean =>
  error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('error', done).off('close', done);
      resolve();
    };
    stream.once('error', done).once('close', done);
    // Called when all that came before it has been handed over.
    stream.write('', done);
  });
}
