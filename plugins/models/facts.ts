import type { DiscoveredModel, Model } from './contract.ts';
import { describeModel } from './describe.ts';

/** What is known of a provider's models beside what it says itself, what counts least first. */
export type Known = readonly {
  readonly facts: readonly DiscoveredModel[];
  /** Models that the provider does not name are there too. */
  readonly adds: boolean;
}[];

/** The models with what else is known of them, and those that only the others name. */
export function withFacts(
  provider: string,
  models: readonly Model[],
  known: Known,
  available: boolean,
): readonly Model[] {
  if (known.every(({ facts }) => facts.length === 0)) return models;
  const all = new Map(models.map((model) => [model.model, model]));
  for (const { facts, adds } of known) {
    for (const one of facts) {
      const { model, ...rest } = one;
      const listed = all.get(model);
      if (listed !== undefined) all.set(model, changed(listed, one));
      else if (adds) all.set(model, describeModel(provider, model, { ...rest, available }));
    }
  }
  return [...all.values()];
}

/** One model with what else is known of it. */
export function withFactsOf(model: Model, known: Known): Model {
  return known.reduce((so, { facts }) => {
    const found = facts.find((one) => one.model === model.model);
    return found === undefined ? so : changed(so, found);
  }, model);
}

function changed(model: Model, { model: _, ...facts }: DiscoveredModel): Model {
  const said = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
  return { ...model, ...said };
}
