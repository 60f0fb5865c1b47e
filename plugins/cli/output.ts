/** stdout, and what to do when its reader has gone. */
export interface Output {
  /** Whoever read our output is gone: nothing more is asked of us. */
  readonly isBroken: boolean;
  /** All that was written is on its way. */
  drained(): Promise<void>;
  dispose(): void;
}

/** A closed pipe (`kern … | head -1`) is no error. `onBroken` ends what would only write on. */
export function guardOutput(streams: readonly NodeJS.WriteStream[], onBroken: () => void): Output {
  let isBroken = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (!isGone(error)) throw error;
    if (isBroken) return;
    isBroken = true;
    onBroken();
  };
  for (const stream of streams) stream.on('error', onError);
  return {
    get isBroken() {
      return isBroken;
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
