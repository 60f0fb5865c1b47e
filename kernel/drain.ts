import type { Activation } from './activation.ts';
import type { Cells } from './cells.ts';
import type { Clock } from './clock.ts';
import type { Journal } from './report.ts';
import type { Snapshot } from './snapshot.ts';

const removedGraceMs = 5_000;

/** Lets old activations end: replaced ones when nothing holds them, removed ones after a few seconds at the latest. */
export class Drain {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #cells: Cells;
  readonly #draining = new Set<Activation>();
  readonly #pins = new Set<Snapshot[]>();
  readonly #ending = new Set<Promise<void>>();
  disposed = 0;

  constructor(journal: Journal, clock: Clock, cells: Cells) {
    this.#journal = journal;
    this.#clock = clock;
    this.#cells = cells;
  }

  get draining(): readonly Activation[] {
    return [...this.#draining];
  }

  pin(snapshot: Snapshot): () => void {
    // An array of its own, so that two pins of one snapshot are two.
    const pin = [snapshot];
    this.#pins.add(pin);
    return () => {
      if (this.#pins.delete(pin)) this.sweep();
    };
  }

  /** Another revision took over. */
  replace(activation: Activation): void {
    activation.state = 'draining';
    this.#draining.add(activation);
    this.#endIfFree(activation);
  }

  /** Nothing takes over: it is told at once, and gone soon. */
  remove(activation: Activation): void {
    activation.state = 'draining';
    activation.removed = true;
    activation.controller.abort();
    this.#draining.add(activation);
    const cancel = this.#clock.after(removedGraceMs, () => this.#end(activation));
    activation.defer(cancel);
    this.#endIfFree(activation);
  }

  sweep(): void {
    for (const activation of this.#draining) this.#endIfFree(activation);
  }

  readonly onIdle = (activation: Activation): void => this.#endIfFree(activation);

  #endIfFree(activation: Activation): void {
    if (activation.state !== 'draining' || activation.inFlight > 0) return;
    for (const [snapshot] of this.#pins) if (snapshot?.place.has(activation) === true) return;
    this.#end(activation);
  }

  #end(activation: Activation): void {
    if (!this.#draining.delete(activation)) return;
    const ending = this.dispose(activation).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Disposes at once, whatever holds it. */
  async dispose(activation: Activation): Promise<void> {
    if (activation.state === 'gone') return;
    this.disposed += 1;
    await activation.dispose((error) => this.#journal.failure(activation.id, 'dispose_failed', 'unloading', error));
    await this.#cells.forget(activation);
  }

  /** Resolves when every end that has begun is through. */
  async settled(): Promise<void> {
    while (this.#ending.size > 0) await Promise.all(this.#ending);
  }
}
