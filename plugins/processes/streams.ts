import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Ring } from 'kern/contracts';
import type { SpawnOptions } from 'kern/plugin';

export interface Source {
  readonly stream: Readable;
  readonly ring: Ring;
  readonly name: 'stdout' | 'stderr';
  /** How it is read, where that is not by its events. */
  readonly read?: (take: (piece: Uint8Array) => void) => void;
}

/** What is done with the output of a child while it is followed. */
export interface Listeners {
  onOutput: SpawnOptions['onOutput'];
  /** For what keeps a copy of everything. */
  spill: ((chunk: Uint8Array) => void) | undefined;
  /** The bytes that came so far, after each piece. */
  onBytes(total: number): void;
  /** Every stream is closed. */
  onClose(): void;
}

export interface Output {
  /** When the last piece came, on the clock of `performance`. */
  readonly lastAt: number;
  /** Resolves when no more is to be expected of a child that has ended. */
  drained(): Promise<void>;
  /** What still comes is read, so that nobody who writes it is stopped, and dropped. */
  letGo(): void;
}

/** Output that was on its way when the child ended comes within this time of the last piece. */
const idleMs = 100;
/** A background child that keeps talking does not hold the result longer than this. */
const drainLimitMs = 1_000;

/** Reads what comes, and says when no more is to be expected. */
export function follow(sources: readonly Source[], { onOutput, spill, onBytes, onClose }: Listeners): Output {
  let open = sources.length;
  let pieces = 0;
  let total = 0;
  let lastAt = performance.now();
  let changed = Promise.withResolvers<void>();
  let following = true;
  const wake = (): void => {
    pieces += 1;
    changed.resolve();
    changed = Promise.withResolvers();
  };
  for (const { stream, ring, name, read } of sources) {
    const take = (chunk: Uint8Array): void => {
      // Afterwards it is still read: a background child that cannot write any more would die of it.
      if (!following) return;
      total += chunk.length;
      lastAt = performance.now();
      ring.push(chunk);
      spill?.(chunk);
      onOutput?.(chunk, name);
      onBytes(total);
      wake();
    };
    if (read === undefined) stream.on('data', take);
    else read(take);
    stream.on('error', () => stream.destroy());
    stream.once('close', () => {
      open -= 1;
      wake();
      if (open === 0) onClose();
    });
  }
  return {
    get lastAt() {
      return lastAt;
    },
    async drained() {
      const until = performance.now() + drainLimitMs;
      while (open > 0 && performance.now() < until) {
        const seen = pieces;
        const idle = Promise.withResolvers<void>();
        const timer = setTimeout(idle.resolve, idleMs);
        await Promise.race([changed.promise, idle.promise]);
        clearTimeout(timer);
        // A loop that was busy meanwhile runs its timers first: what waits in the pipe is read before the next turn.
        if (pieces === seen) await setImmediate();
        if (pieces === seen) return;
      }
    },
    letGo() {
      following = false;
      for (const { stream } of sources) if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
    },
  };
}
