import type { Activation } from './activation.ts';
import type { Clock } from './clock.ts';
import { type Drain, graceMs } from './drain.ts';
import { within } from './limit.ts';
import type { Ownership } from './owner.ts';
import type { Journal } from './report.ts';

export interface EndPorts {
  readonly owners: Ownership;
  readonly journal: Journal;
  readonly clock: Clock;
}

/**
 * Ends activations in the order given: all are told at once, calls that run get five seconds, and so do disposers.
 * `caller` ends the others and does not wait for itself.
 */
export async function endAll(
  all: readonly Activation[],
  caller: Activation | undefined,
  drain: Drain,
  { owners, clock }: EndPorts,
): Promise<void> {
  for (const activation of all) owners.run({ activation }, () => activation.controller.abort());
  const calls = Promise.all(
    all.filter((activation) => activation !== caller).map((activation) => activation.whenIdle()),
  );
  await within(clock, graceMs, calls, () => {});
  const disposing = async (): Promise<void> => {
    for (const activation of all) await drain.dispose(activation);
    await drain.settled();
  };
  await within(clock, graceMs, disposing(), () => {});
}

/** The last chance of every plugin, synchronous, once. */
export function crashAll(all: readonly Activation[], { owners, journal }: EndPorts): void {
  for (const activation of all) {
    for (const fn of activation.crashers.splice(0)) {
      try {
        owners.run({ activation }, fn);
      } catch (error) {
        journal.failure(activation.id, 'crash_handler_failed', 'onCrash', error);
      }
    }
  }
}
