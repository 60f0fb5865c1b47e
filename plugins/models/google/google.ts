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

const vendor = 'https://generativelanguage.googleapis.com';

export type GoogleSettings = Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning'>;

/** Google's models. The environment is read at each call: a key that is set counts at once. */
export function google(settings: GoogleSettings, auth?: () => Auth): ModelProvider {
  const key = providerKey({ provider: 'google', keys: () => ['$GEMINI_API_KEY', '$GOOGLE_API_KEY'], auth });
  const kept = keptModel();
  const models = async (): Promise<readonly Model[]> => {
    const available = key.has();
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
        describeModel('google', name, { contextWindow: 1_000_000, available: key.has() })
      );
    },
    missing: key.missing,
    keys: key.keys,
    catalog: () => 'google',
    discovery: () => modelDiscovery('google', { baseUrl: baseOf(), apiKey: key.secret }),
    stream(request, signal) {
      const baseUrl = baseOf();
      const official = baseUrl.startsWith(vendor);
      const fix = 'check GEMINI_API_KEY (and GOOGLE_GEMINI_BASE_URL, if you set it)';
      const endpoint = { provider: 'google', baseUrl, official, kept, fix, ...settings };
      return key.reply(request, signal, (sent) => replyOver('google', { ...endpoint, ...sent }, request, signal));
    },
  };
}

function baseOf(): string {
  return process.env.GOOGLE_GEMINI_BASE_URL?.trim() || vendor;
}
