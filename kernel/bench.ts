import type { PluginUnit } from './activation.ts';
import type { Change } from './change.ts';
import { dependentsOf } from './order.ts';
import { sleeperKey } from './snapshot.ts';

/** Plugins that came back with a change that was not about them, and failed: not tried again before something they need changes. */
export class Bench {
  readonly #units = new Set<PluginUnit>();

  has(unit: PluginUnit): boolean {
    return this.#units.has(unit);
  }

  add(unit: PluginUnit): void {
    this.#units.add(unit);
  }

  /** Keeps only what is known still. */
  retain(known: readonly PluginUnit[]): void {
    for (const unit of this.#units) if (!known.includes(unit)) this.#units.delete(unit);
  }

  release(isAbout: (id: string) => boolean): void {
    for (const unit of this.#units) if (isAbout(unit.definition.id)) this.#units.delete(unit);
  }

  /** Those that need what a change puts are tried again with it. */
  reconsider({ put = [], wake = [] }: Change, known: readonly PluginUnit[]): void {
    if (this.#units.size === 0) return;
    const keys = new Set([...put.map((unit) => unit.key), ...wake.map(sleeperKey)]);
    const fresh = put.filter((unit) => !known.some((other) => other.key === unit.key));
    for (const unit of dependentsOf([...known, ...fresh], keys)) this.#units.delete(unit);
  }
}
