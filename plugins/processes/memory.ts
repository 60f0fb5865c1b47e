import { totalmem } from 'node:os';

/** Nine tenths of what this machine, or the container we are in, has. */
export function mostOfTheMemory(): number {
  const total = totalmem();
  // Zero, or more than there is: nothing limits us.
  const limit = process.constrainedMemory();
  return Math.floor((limit > 0 && limit < total ? limit : total) * 0.9);
}
