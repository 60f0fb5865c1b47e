import { type Cost, type DiscoveredModel, type ThinkingLevel, thinkingLevels } from '../contract.ts';

type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A whole number above nothing, as limits are. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;

export const priceOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length < 300 ? value : undefined;

/** Facts of a model as they are kept; what has another form is left out, and without a name there is nothing. */
export function readFacts(value: unknown): DiscoveredModel | undefined {
  if (!isFields(value)) return undefined;
  const model = textOf(value.model);
  if (model === undefined) return undefined;
  return compact({
    model,
    name: textOf(value.name),
    contextWindow: countOf(value.contextWindow),
    maxOutput: countOf(value.maxOutput),
    input: kindsOf(value.input),
    thinking: levelsOf(value.thinking),
    cost: value.cost === null ? null : costOf(value.cost),
    vendor: textOf(value.vendor),
    generation: priceOf(value.generation),
    wire: textOf(value.wire),
  });
}

/** The same without what is undefined. */
export function compact(facts: DiscoveredModel): DiscoveredModel {
  const said = Object.entries(facts).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(said), model: facts.model };
}

function kindsOf(value: unknown): DiscoveredModel['input'] {
  if (!Array.isArray(value)) return undefined;
  const kinds = (['text', 'image'] as const).filter((kind) => value.includes(kind));
  return kinds.length > 0 ? kinds : undefined;
}

function levelsOf(value: unknown): readonly ThinkingLevel[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const levels = thinkingLevels.filter((level) => value.includes(level));
  return levels.length > 0 ? levels : undefined;
}

function costOf(value: unknown): Cost | undefined {
  const base = pricesOf(value);
  if (base === undefined || !isFields(value)) return undefined;
  const validFrom = textOf(value.validFrom);
  const tiers = Array.isArray(value.tiers)
    ? value.tiers.flatMap((tier: unknown) => {
        const prices = pricesOf(tier);
        const above = isFields(tier) ? countOf(tier.above) : undefined;
        return prices === undefined || above === undefined ? [] : [{ above, ...prices }];
      })
    : [];
  return {
    ...base,
    ...(validFrom === undefined ? {} : { validFrom }),
    ...(tiers.length === 0 ? {} : { tiers }),
  };
}

function pricesOf(value: unknown): Pick<Cost, 'input' | 'output' | 'cacheRead' | 'cacheWrite'> | undefined {
  if (!isFields(value)) return undefined;
  const input = priceOf(value.input);
  const output = priceOf(value.output);
  if (input === undefined || output === undefined) return undefined;
  return { input, output, cacheRead: priceOf(value.cacheRead) ?? 0, cacheWrite: priceOf(value.cacheWrite) ?? 0 };
}
