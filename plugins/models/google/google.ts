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

const vendor = 'https://generativelanguage.googleapis.com';

export type GoogleSettings = Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning'>;

/** Google's models. The environment is read at each call: a key that is set counts at once. */
export function google(settings: GoogleSettings): ModelProvider {
  const kept = keptModel();
  const models = async (): Promise<readonly Model[]> => {
    const available = keyOf() !== undefined;
    const catalog = await import('./models.json', { with: { type: 'json' } });
    return catalogModels('google', catalog.default, available);
  };
  return {
    id: 'google',
    displayName: 'Google',
    models,
    async model(name) {
      return (
        modelNamed(await models(), name) ??
        describeModel('google', name, { contextWindow: 1_000_000, available: keyOf() !== undefined })
      );
    },
    missing: () => (keyOf() === undefined ? 'GEMINI_API_KEY is not set' : undefined),
    catalog: () => 'google',
    discovery: () => modelDiscovery('google', { baseUrl: baseOf(), apiKey: async () => keyOf() }),
    stream(request, signal) {
      const baseUrl = baseOf();
      const official = baseUrl.startsWith(vendor);
      const fix = 'check GEMINI_API_KEY (and GOOGLE_GEMINI_BASE_URL, if you set it)';
      const endpoint = { provider: 'google', baseUrl, apiKey: keyOf(), official, kept, fix, ...settings };
      return replyOver('google', endpoint, request, signal);
    },
  };
}

function baseOf(): string {
  return process.env.GOOGLE_GEMINI_BASE_URL?.trim() || vendor;
}

function keyOf(): string | undefined {
  return process.env.GEMINI_API_KEY?.trim() || process.env.GOOGLE_API_KEY?.trim() || undefined;
}
