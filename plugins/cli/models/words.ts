import type { Cost, Model } from 'kern/contracts';

/** A model as `kern models list --json` prints it. */
export function shown({ id, name, contextWindow, maxOutput, input, thinking, cost, available }: Model): object {
  return { id, name, contextWindow, maxOutput, input, thinking, cost, available };
}

export function sizeText(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  const [size, unit] = tokens >= 1_000_000 ? [tokens / 1_000_000, 'M'] : [tokens / 1_000, 'k'];
  return `${Number(size.toFixed(size < 10 ? 1 : 0))}${unit}`;
}

/** Dollars a million tokens, in and out; `+` where long prompts cost more. */
export function priceText(cost: Cost | null): string {
  if (cost === null) return '?';
  return `${cost.input}/${cost.output}${cost.tiers === undefined ? '' : '+'}`;
}

export function moneyText(dollars: number): string {
  return `$${dollars >= 0.01 || dollars === 0 ? dollars.toFixed(2) : dollars.toPrecision(2)}`;
}
