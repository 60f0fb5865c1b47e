import type { SessionStore, Usage } from 'kern/contracts';

/** What a session came to, all its branches together. */
export interface Totals {
  readonly questions: number;
  readonly replies: number;
  readonly calls: number;
  readonly failedCalls: number;
  readonly compactions: number;
  readonly tokens: Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>;
  /** US dollars of what has a price. */
  readonly cost: number;
  /** Replies whose price nobody knows. */
  readonly unknownCosts: number;
  readonly models: readonly string[];
  readonly began: string | undefined;
  readonly ended: string | undefined;
}

export function totalsOf(store: Pick<SessionStore, 'nodes' | 'entry'>): Totals {
  let [questions, replies, calls, failedCalls, compactions, cost, unknownCosts] = [0, 0, 0, 0, 0, 0, 0];
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const models = new Set<string>();
  const nodes = store.nodes();
  for (const { id, type, role } of nodes) {
    if (type === 'compaction') compactions += 1;
    if (type === 'message' && role === 'user') questions += 1;
    if (type !== 'message' || (role !== 'assistant' && role !== 'toolResult')) continue;
    const entry = store.entry(id);
    if (entry?.type !== 'message') continue;
    const { message } = entry;
    if (message.role === 'toolResult' && message.isError) failedCalls += 1;
    if (message.role !== 'assistant') continue;
    replies += 1;
    calls += message.content.filter((part) => part.type === 'toolCall').length;
    const { usage, provider, model } = message;
    for (const key of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) tokens[key] += usage[key];
    if (usage.cost === null) unknownCosts += 1;
    else cost += usage.cost.total;
    if (model !== '') models.add(provider === '' ? model : `${provider}/${model}`);
  }
  return {
    questions,
    replies,
    calls,
    failedCalls,
    compactions,
    tokens,
    cost,
    unknownCosts,
    models: [...models],
    began: nodes[0]?.timestamp,
    ended: nodes.at(-1)?.timestamp,
  };
}

/** `$0.12`, `unknown`, or both. */
export function costText({ cost, unknownCosts, replies }: Pick<Totals, 'cost' | 'unknownCosts' | 'replies'>): string {
  if (unknownCosts > 0 && unknownCosts === replies) return 'cost unknown';
  const known = `$${cost < 0.1 ? cost.toFixed(4) : cost.toFixed(2)}`;
  return unknownCosts === 0 ? known : `${known} and ${unknownCosts} replies of unknown cost`;
}

export const countText = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? what : what.endsWith('y') ? `${what.slice(0, -1)}ies` : `${what}s`}`;
