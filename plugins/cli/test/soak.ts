import { expect } from 'vitest';
import { addNote } from './notes.ts';

/** How often a property is tried: a small number in every run, a large one in `npm run test:soak`. */
export function counts(numbers: { readonly test: number; readonly soak: number }): number {
  return process.env.KERN_SOAK === '1' ? numbers.soak : numbers.test;
}

/** The seed of this run's random tests. It is printed when they fail; `KERN_SEED=<seed>` repeats them. */
export function seed(): number {
  addNote({ kind: 'seed', file: expect.getState().testPath ?? 'a test' });
  return Number(process.env.KERN_SEED);
}
