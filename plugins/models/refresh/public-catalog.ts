import type { Cost, DiscoveredModel, ThinkingLevel } from '../contract.ts';
import { generationOf } from '../names.ts';
import { compact, countOf, isFields, priceOf, textOf } from './read-facts.ts';

type Fields = Readonly<Record<string, unknown>>;
const within = (value: unknown): Fields => (isFields(value) ? value : {});

/** Levels of a model that thinks, where nobody has said which. */
const usualLevels: readonly ThinkingLevel[] = ['off', 'low', 'medium', 'high'];

/**
 * The models of a vendor in the form of models.dev: `{ vendor: { models: { id: { name, limit, cost, modalities … } } } }`.
 * `listed` are known already: of these nothing is said that the catalogue of kern knows better. Undefined: no such vendor.
 */
export function publicModels(
  catalog: unknown,
  vendor: string,
  listed: ReadonlySet<string>,
  today: string,
): readonly DiscoveredModel[] | undefined {
  const models = within(within(catalog)[vendor]).models;
  if (!isFields(models)) return undefined;
  return Object.entries(models).flatMap(([id, entry]) =>
    isFields(entry) ? (modelOf(id, entry, listed.has(id), today) ?? []) : [],
  );
}

function modelOf(id: string, entry: Fields, isListed: boolean, today: string): DiscoveredModel | undefined {
  const { input, output } = within(entry.modalities);
  if (Array.isArray(output) && !output.includes('text')) return undefined;
  // A model that calls no tools is of no use to an agent.
  if (entry.tool_call === false && !isListed) return undefined;
  const limit = within(entry.limit);
  const name = textOf(entry.name);
  const cost = costOf(entry.cost, today);
  const isFree = cost !== undefined && cost.input === 0 && cost.output === 0 && !/[:-]free$/.test(id);
  const facts = {
    model: id,
    contextWindow: countOf(limit.context),
    maxOutput: countOf(limit.output),
    // A plan that is paid by the month costs something all the same.
    cost: isFree ? undefined : cost,
  };
  if (isListed) return compact(facts);
  return compact({
    ...facts,
    name,
    input: Array.isArray(input) ? (input.includes('image') ? ['text', 'image'] : ['text']) : undefined,
    thinking: entry.reasoning === true ? usualLevels : ['off'],
    generation: generationOf(id, name ?? ''),
  });
}

function costOf(value: unknown, validFrom: string): Cost | undefined {
  const prices = pricesOf(value);
  if (prices === undefined || !isFields(value)) return undefined;
  const above = pricesOf(value.context_over_200k);
  return { ...prices, validFrom, ...(above === undefined ? {} : { tiers: [{ above: 200_000, ...above }] }) };
}

function pricesOf(value: unknown): Pick<Cost, 'input' | 'output' | 'cacheRead' | 'cacheWrite'> | undefined {
  if (!isFields(value)) return undefined;
  const input = priceOf(value.input);
  const output = priceOf(value.output);
  if (input === undefined || output === undefined) return undefined;
  return { input, output, cacheRead: priceOf(value.cache_read) ?? 0, cacheWrite: priceOf(value.cache_write) ?? 0 };
}
