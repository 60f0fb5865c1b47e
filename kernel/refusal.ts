import type { PluginUnit } from './activation.ts';
import { KernError } from './error.ts';

/** A set of plugins that cannot be, and those of which one must change. */
export class Refusal extends KernError {
  readonly units: readonly PluginUnit[];

  constructor(units: readonly PluginUnit[], code: string, message: string, hint: string) {
    super(code, message, { hint });
    this.name = 'Refusal';
    this.units = units;
  }
}

export function idTaken(unit: PluginUnit, hint: string): Refusal {
  const { definition, source } = unit;
  return new Refusal([unit], 'id_taken', `the id ${definition.id} (${source}) is taken by a built-in plugin`, hint);
}
