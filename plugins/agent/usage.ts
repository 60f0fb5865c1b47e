import type { Usage } from 'kern/contracts';

/** Nothing was used, and it cost nothing. */
export const noUsage: Usage = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  totalTokens: 0,
  cost: Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }),
});

/** The sum of two. One unknown price makes the sum's price unknown: half a bill is a wrong bill. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cost =
    a.cost === null || b.cost === null
      ? null
      : {
          input: a.cost.input + b.cost.input,
          output: a.cost.output + b.cost.output,
          cacheRead: a.cost.cacheRead + b.cost.cacheRead,
          cacheWrite: a.cost.cacheWrite + b.cost.cacheWrite,
          total: a.cost.total + b.cost.total,
        };
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
    totalTokens: a.totalTokens + b.totalTokens,
    cost,
  };
}
