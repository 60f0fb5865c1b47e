import type { Model, ThinkingLevel } from '../contract.ts';
import { describeModel } from '../describe.ts';

/** A vendor's models as `generate.mjs` writes them. */
export interface Catalog {
  readonly source: string;
  readonly validFrom: string;
  readonly models: readonly CatalogEntry[];
}

export interface CatalogEntry {
  readonly model: string;
  readonly name: string;
  readonly contextWindow: number;
  readonly maxOutput: number;
  readonly input: readonly string[];
  readonly thinking: readonly string[];
  readonly cost: Prices | null;
  readonly vendor?: string;
  readonly aliases?: readonly string[];
  readonly generation?: number;
  readonly wire?: string;
  readonly thinkingBudgets?: Readonly<Record<string, number>>;
}

interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly tiers?: readonly (Omit<Prices, 'tiers'> & { readonly above: number })[];
}

/** The models of a catalogue, in its order. */
export function catalogModels(provider: string, catalog: Catalog, available: boolean): readonly Model[] {
  return catalog.models.map(({ model, cost, ...facts }) =>
    describeModel(provider, model, {
      ...facts,
      input: facts.input as Model['input'], // a test reads the whole file
      thinking: facts.thinking as readonly ThinkingLevel[],
      cost: cost === null ? null : { ...cost, validFrom: catalog.validFrom },
      available,
    }),
  );
}

/** The model of that name; by another name of it, it is the same under the name that was asked for. */
export function modelNamed(models: readonly Model[], name: string): Model | undefined {
  const exact = models.find(({ model }) => model === name);
  if (exact !== undefined) return exact;
  const same = models.find(({ aliases }) => aliases?.includes(name));
  if (same === undefined) return undefined;
  const { aliases: _, ...facts } = same;
  return { ...facts, id: `${same.provider}/${name}`, model: name };
}
