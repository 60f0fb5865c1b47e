import type { Model } from 'kern/contracts';

/** A model as pi describes one. `provider` and `id` are those of kern. */
export interface ForeignModel {
  readonly id: string;
  readonly name: string;
  readonly api: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly reasoning: boolean;
  readonly input: readonly ('text' | 'image')[];
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly contextWindow: number;
  readonly maxTokens: number;
}

const wires: Readonly<Record<string, string>> = {
  anthropic: 'anthropic-messages',
  'openai-chat': 'openai-completions',
  'openai-responses': 'openai-responses',
  google: 'google-generative-ai',
};
const usual: Readonly<Record<string, string>> = {
  anthropic: 'anthropic-messages',
  openai: 'openai-responses',
  google: 'google-generative-ai',
};

/** Where a server stands is no part of kern's descriptions: `baseUrl` is empty. */
export function foreignModel({
  model,
  name,
  provider,
  wire,
  thinking,
  input,
  cost,
  contextWindow,
  maxOutput,
}: Model): ForeignModel {
  return {
    id: model,
    name,
    api: (wire === undefined ? undefined : wires[wire]) ?? usual[provider] ?? 'openai-completions',
    provider,
    baseUrl: '',
    reasoning: thinking.some((level) => level !== 'off'),
    input,
    cost: {
      input: cost?.input ?? 0,
      output: cost?.output ?? 0,
      cacheRead: cost?.cacheRead ?? 0,
      cacheWrite: cost?.cacheWrite ?? 0,
    },
    contextWindow,
    maxTokens: maxOutput,
  };
}

/** A model of which only the name is known. */
export function namedModel(id: string): ForeignModel {
  const slash = id.indexOf('/');
  const provider = slash < 0 ? '' : id.slice(0, slash);
  return {
    id: id.slice(slash + 1),
    name: id.slice(slash + 1),
    api: usual[provider] ?? 'openai-completions',
    provider,
    baseUrl: '',
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 0,
    maxTokens: 0,
  };
}
