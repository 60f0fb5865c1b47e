import type { Model } from './contract.ts';

/** What may be said about a model; everything else gets a careful default. */
export type ModelFacts = {
  readonly [K in Exclude<keyof Model, 'id' | 'provider' | 'model'>]?: Model[K] | undefined;
};

/** A model by its provider and its name there. One that nobody has described is usable too. */
export function describeModel(provider: string, model: string, facts: ModelFacts = {}): Model {
  const { vendor, aliases, generation, wire, thinkingBudgets } = facts;
  return {
    id: `${provider}/${model}`,
    provider,
    model,
    name: facts.name ?? model,
    contextWindow: facts.contextWindow ?? 128_000,
    maxOutput: facts.maxOutput ?? 32_000,
    input: facts.input ?? ['text', 'image'],
    thinking: facts.thinking ?? ['off'],
    cost: facts.cost ?? null,
    available: facts.available ?? true,
    ...(vendor === undefined ? {} : { vendor }),
    ...(aliases === undefined ? {} : { aliases }),
    ...(generation === undefined ? {} : { generation }),
    ...(wire === undefined ? {} : { wire }),
    ...(thinkingBudgets === undefined ? {} : { thinkingBudgets }),
  };
}

/** The two halves of `provider/model`: the provider ends at the first slash. Undefined when there is none. */
export function splitModelId(id: string): { readonly provider: string; readonly model: string } | undefined {
  const slash = id.indexOf('/');
  return slash <= 0 || slash === id.length - 1
    ? undefined
    : { provider: id.slice(0, slash), model: id.slice(slash + 1) };
}
