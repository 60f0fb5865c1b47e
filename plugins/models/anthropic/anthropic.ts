import {
  catalogModels,
  describeModel,
  keptModel,
  type Model,
  type ModelEndpoint,
  type ModelProvider,
  modelDiscovery,
  modelNamed,
  replyOver,
} from 'kern/contracts';

const vendor = 'https://api.anthropic.com';
const missing = 'ANTHROPIC_API_KEY is not set';

export type AnthropicSettings = Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning' | 'cacheRetention'>;

/** Anthropic's models. The environment is read at each call: a key that is set counts at once. */
export function anthropic(settings: AnthropicSettings): ModelProvider {
  const kept = keptModel();
  const models = async (): Promise<readonly Model[]> => {
    const available = keyOf() !== undefined;
    const catalog = await import('./models.json', { with: { type: 'json' } });
    return catalogModels('anthropic', catalog.default, available);
  };
  return {
    id: 'anthropic',
    displayName: 'Anthropic',
    models,
    async model(name) {
      return (
        modelNamed(await models(), name) ??
        describeModel('anthropic', name, { contextWindow: 200_000, available: keyOf() !== undefined })
      );
    },
    missing: () => (keyOf() === undefined ? missing : undefined),
    catalog: () => 'anthropic',
    discovery: () => modelDiscovery('anthropic', { baseUrl: baseOf(), apiKey: async () => keyOf() }),
    stream(request, signal) {
      const baseUrl = baseOf();
      const endpoint = {
        provider: 'anthropic',
        baseUrl,
        apiKey: keyOf(),
        official: baseUrl.startsWith(vendor),
        kept,
        ...settings,
      };
      return replyOver(
        'anthropic',
        { ...endpoint, fix: 'check ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL, if you set it)' },
        request,
        signal,
      );
    },
  };
}

function baseOf(): string {
  return process.env.ANTHROPIC_BASE_URL?.trim() || vendor;
}

function keyOf(): string | undefined {
  return process.env.ANTHROPIC_API_KEY?.trim() || undefined;
}
