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
    cost: cost === null ? null : priced(tokens, cost),
  };
}

function priced(tokens: Tokens, cost: Cost): NonNullable<Usage['cost']> {
  const input = (tokens.input * cost.input) / 1_000_000;
  const output = (tokens.output * cost.output) / 1_000_000;
  const cacheRead = (tokens.cacheRead * cost.cacheRead) / 1_000_000;
  const cacheWrite = (tokens.cacheWrite * cost.cacheWrite) / 1_000_000;
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite };
}
