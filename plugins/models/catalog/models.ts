import type { Model, ThinkingLevel } from '../contract.ts';
import { describeModel } from '../describe.ts';

/** A vendor's models as `generate.mjs` writes them. */
export interface Catalog {
  readonly source: string;
  readonly validFrom: string;
  readonly models: readonly CatalogEntry[];
}

interface CatalogEntry {
  readonly model: string;
  readonly name: string;
  readonly contextWindow: number;
  readonly maxOutput: number;
  readonly input: readonly string[];
  readonly thinking: readonly string[];
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
}

/** The models of a catalogue, in its order. */
export function catalogModels(provider: string, catalog: Catalog, available: boolean): readonly Model[] {
  return catalog.models.map(({ model, cost, ...facts }) =>
    describeModel(provider, model, {
      ...facts,
      input: facts.input as Model['input'], // a test reads the whole file
      thinking: facts.thinking as readonly ThinkingLevel[],
      cost: { ...cost, validFrom: catalog.validFrom },
      available,
    }),
  );
}
