import type { Activation } from './activation.ts';
import type { Cells } from './cells.ts';
import type { Clock } from './clock.ts';
import { KernError } from './error.ts';
import { within } from './limit.ts';
import type { Ownership } from './owner.ts';
import type { Journal } from './report.ts';
import type { Snapshot } from './snapshot.ts';

/** How long removed code, and one disposer, may take. */
export const graceMs = 5_000;

/** Keeps the activations of a snapshot loaded; `extend` when its snapshot has grown. */
export interface Pin {
  extend(snapshot: Snapshot): void;
  release(): void;
}

export interface DrainPorts {
  readonly owners: Ownership;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly cells: Cells;
}

/** Lets old activations end: replaced ones when nothing holds them, removed ones after a few seconds at the latest. */
export class Drain {
  readonly #ports: DrainPorts;
  readonly #draining = new Set<Activation>();
  readonly #pins = new Set<{ snapshot: Snapshot }>();
  readonly #ending = new Set<Promise<void>>();
  disposed = 0;

  constructor(ports: DrainPorts) {
    this.#ports = ports;
  }

  get draining(): readonly Activation[] {
    return [...this.#draining];
  }

  pin(snapshot: Snapshot): Pin {
    const pin = { snapshot };
    this.#pins.add(pin);
    return {
      extend: (grown) => {
        pin.snapshot = grown;
      },
      release: () => {
        if (this.#pins.delete(pin)) this.#sweep();
      },
    };
  }

  /** Another revision took over. */
  replace(activation: Activation): void {
    activation.state = 'draining';
    this.#draining.add(activation);
    this.#endIfFree(activation);
  }

  /** Nothing takes over: it is told at once, and gone soon. So are its older revisions that still drain. */
  remove(activation: Activation): void {
    const older = this.draining.filter((other) => other.unit.key === activation.unit.key && !other.removed);
    for (const one of [activation, ...older]) {
      one.state = 'draining';
      one.removed = true;
      this.#draining.add(one);
      one.defer(this.#ports.clock.after(graceMs, () => this.#end(one)));
      // Its listeners run here: what they throw is its own.
      this.#ports.owners.run({ activation: one }, () => one.controller.abort());
      this.#endIfFree(one);
    }
  }

  #sweep(): void {
    for (const activation of this.#draining) this.#endIfFree(activation);
  }

  readonly onFree = (activation: Activation): void => this.#endIfFree(activation);

  #endIfFree(activation: Activation): void {
    if (activation.state !== 'draining' || !activation.isFree) return;
    for (const { snapshot } of this.#pins) if (snapshot.place.has(activation)) return;
    this.#end(activation);
  }

  #end(activation: Activation): void {
    if (!this.#draining.has(activation)) return;
    const ending = this.dispose(activation).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Disposes at once, whatever holds it. Never rejects. */
  async dispose(activation: Activation): Promise<void> {
    if (activation.state === 'gone') return;
    this.#draining.delete(activation);
    this.disposed += 1;
    const { owners, journal, clock, cells } = this.#ports;
    const undo = async (fn: () => unknown): Promise<void> => {
      try {
        await within(
          clock,
          graceMs,
          owners.run({ activation }, async () => fn()),
          () => {
            throw new KernError('dispose_late', `a disposer took longer than ${graceMs} ms`);
          },
        );
      } catch (error) {
        journal.failure(activation.id, 'dispose_failed', 'unloading', error);
      }
    };
    owners.run({ activation }, () => activation.end());
    await activation.dispose(undo);
    await undo(() => cells.forget(activation));
  }

  /** Resolves when every end that has begun is through. */
  async settled(): Promise<void> {
    while (this.#ending.size > 0) await Promise.all(this.#ending);
  }
}
