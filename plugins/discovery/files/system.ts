import { protectedRead } from 'kern/contracts';
import { type Clock, systemClock } from 'kern/plugin';
import type { DiscoveryFiles } from '../contract.ts';
import { Gate } from './gate.ts';
import { Memory } from './memory.ts';
import { systemPort } from './port.ts';
import { type Looks, Reading } from './reading.ts';
import type { FilePort } from './types.ts';

/** How long one file call may take: a drive that is there answers in far less. */
const limitMs = 1_000;

/** The files of this machine, or what a test puts in their place. */
export function createFiles(
  options: { readonly port?: FilePort; readonly clock?: Clock; readonly limitMs?: number } = {},
): DiscoveryFiles {
  const ground = {
    port: options.port ?? systemPort,
    gate: new Gate(options.clock ?? systemClock, options.limitMs ?? limitMs),
    memory: new Memory(),
  };
  // All providers are asked for all kinds in one breath, and most of them look at the same folders.
  let looks: Looks | undefined;
  const shared = (): Looks => {
    if (looks === undefined) {
      looks = { facts: new Map(), names: new Map() };
      setImmediate(() => {
        looks = undefined;
      });
    }
    return looks;
  };
  return { open: (_where, signal) => new Reading(ground, signal, shared()), secretIn: protectedRead };
}
