import type { Cost, Usage } from './contract.ts';

export type Tokens = Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'reasoning'>;

export const noTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** Tokens with what they cost. Reasoning is part of the output and is not counted twice. */
export function usageOf(tokens: Tokens, cost: Cost | null): Usage {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokens;
  const totalTokens = input + output + cacheRead + cacheWrite;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning,
    totalTokens,
    cost: costOf(tokens, cost),
  };
}

/** What tokens cost, in US dollars; null where nobody knows the price. Of prices by length one counts for all of it. */
export function costOf(tokens: Omit<Tokens, 'reasoning'>, cost: Cost | null): Usage['cost'] {
  if (cost === null) return null;
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  let price: Omit<Cost, 'tiers' | 'validFrom'> = cost;
  let highest = 0;
  for (const tier of cost.tiers ?? []) {
    if (prompt <= tier.above || tier.above < highest) continue;
    highest = tier.above;
    price = tier;
  }
  const input = rounded((tokens.input * price.input) / 1_000_000);
  const output = rounded((tokens.output * price.output) / 1_000_000);
  const cacheRead = rounded((tokens.cacheRead * price.cacheRead) / 1_000_000);
  const cacheWrite = rounded((tokens.cacheWrite * price.cacheWrite) / 1_000_000);
  return { input, output, cacheRead, cacheWrite, total: rounded(input + output + cacheRead + cacheWrite) };
}

/** Far below what a token costs, and above the dust of reckoning: 0.3, not 0.30000000000000004. */
const rounded = (dollars: number): number => Number(dollars.toFixed(12));
