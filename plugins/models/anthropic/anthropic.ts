import {
  type Auth,
  catalogModels,
  describeModel,
  keptModel,
  type Model,
  type ModelEndpoint,
  type ModelProvider,
  modelDiscovery,
  modelNamed,
  providerKey,
  replyOver,
} from 'kern/contracts';

const vendor = 'https://api.anthropic.com';

export type AnthropicSettings = Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning' | 'cacheRetention'>;

/** Anthropic's models. The environment is read at each call: a key that is set counts at once. */
export function anthropic(settings: AnthropicSettings, auth?: () => Auth): ModelProvider {
  const key = providerKey({ provider: 'anthropic', keys: () => ['$ANTHROPIC_API_KEY'], auth });
  const kept = keptModel();
  const models = async (): Promise<readonly Model[]> => {
    const available = key.has();
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
        describeModel('anthropic', name, { contextWindow: 200_000, available: key.has() })
      );
    },
    missing: key.missing,
    keys: key.keys,
    catalog: () => 'anthropic',
    discovery: () => modelDiscovery('anthropic', { baseUrl: baseOf(), apiKey: key.secret }),
    stream(request, signal) {
      const baseUrl = baseOf();
      const endpoint = {
        provider: 'anthropic',
        baseUrl,
        official: baseUrl.startsWith(vendor),
        kept,
        fix: 'check ANTHROPIC_API_KEY (and ANTHROPIC_BASE_URL, if you set it), or sign in again: kern auth login anthropic',
        ...settings,
      };
      return key.reply(request, signal, (sent) => replyOver('anthropic', { ...endpoint, ...sent }, request, signal));
    },
  };
}

function baseOf(): string {
  return process.env.ANTHROPIC_BASE_URL?.trim() || vendor;
}
