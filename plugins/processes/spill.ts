import { closeSync, openSync, writeSync } from 'node:fs';

/** A copy of an output in a file. */
export interface Spill {
  write(chunk: Uint8Array): void;
  /** Whether all of it is there. */
  close(): 'whole' | 'partly';
}

/** A child that prints for ever must not fill the disk. */
const fileLimit = 1024 ** 3;

/** Opens the file at once: whoever asked for it may read it while the child runs. */
export function openSpill(path: string): Spill {
  const fd = openSync(path, 'a', 0o600);
  let written = 0;
  let partly = false;
  return {
    write(chunk) {
      if (partly) return;
      const part = chunk.subarray(0, fileLimit - written);
      partly = part.length < chunk.length;
      try {
        // At once: a fast child then waits for a slow disk, instead of filling the memory.
        for (let at = 0; at < part.length; ) at += writeSync(fd, part, at);
        written += part.length;
      } catch {
        // A full disk. The child goes on; that the file is not whole is told.
        partly = true;
      }
    },
    close() {
      closeSync(fd);
      return partly ? 'partly' : 'whole';
    },
  };
}
