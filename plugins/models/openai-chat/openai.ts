import {
  catalogModels,
  describeModel,
  isLoopback,
  keptModel,
  type Model,
  type ModelEndpoint,
  type ModelProvider,
  modelDiscovery,
  modelNamed,
  replyOver,
  serverModels,
} from 'kern/contracts';

const vendor = 'https://api.openai.com/v1';
const missing = 'neither OPENAI_API_KEY nor OPENAI_BASE_URL is set';

export interface OpenAISettings
  extends Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning' | 'cacheRetention' | 'store'> {
  /** `auto`: Responses with the vendor's own server, Chat Completions with others, which rarely know more. */
  readonly wire?: 'auto' | 'openai-responses' | 'openai-chat';
}

/** OpenAI, or the server that OPENAI_BASE_URL names. The environment is read at each call. */
export function openai({ wire = 'auto', ...settings }: OpenAISettings): ModelProvider {
  const kept = keptModel();
  return {
    id: 'openai',
    displayName: 'OpenAI',
    async models(signal) {
      const { isThere, apiKey, baseUrl } = environment();
      // A server of one's own has models of its own. A key means that it may be anywhere, so nobody knocks.
      if (apiKey === undefined && isLoopback(baseUrl)) {
        const answer = await serverModels('openai', baseUrl, signal);
        if (answer !== undefined && answer.length > 0) return answer;
      }
      return catalog(isThere);
    },
    async model(name) {
      const { isThere, isOfficial } = environment();
      const known = isOfficial ? modelNamed(await catalog(isThere), name) : undefined;
      return known ?? describeModel('openai', name, { available: isThere });
    },
    missing: () => (environment().isThere ? undefined : missing),
    catalog: () => (environment().isOfficial ? 'openai' : undefined),
    discovery() {
      const { baseUrl, apiKey } = environment();
      return modelDiscovery('openai-chat', { baseUrl, apiKey: async () => apiKey });
    },
    stream(request, signal) {
      const { apiKey, baseUrl, isOfficial } = environment();
      const fix = isOfficial ? 'check OPENAI_API_KEY' : 'check OPENAI_BASE_URL (with /v1) and OPENAI_API_KEY';
      const official = isOfficial;
      const endpoint: ModelEndpoint = { provider: 'openai', baseUrl, apiKey, official, kept, fix, ...settings };
      const usual = official ? 'openai-responses' : 'openai-chat';
      return replyOver(wire === 'auto' ? usual : wire, endpoint, request, signal);
    },
  };
}

async function catalog(available: boolean): Promise<readonly Model[]> {
  const data = await import('./models.json', { with: { type: 'json' } });
  return catalogModels('openai', data.default, available);
}

function environment() {
  const apiKey = process.env.OPENAI_API_KEY?.trim() || undefined;
  const given = process.env.OPENAI_BASE_URL?.trim() || undefined;
  const baseUrl = given ?? vendor;
  return {
    apiKey,
    baseUrl,
    isThere: apiKey !== undefined || given !== undefined,
    isOfficial: baseUrl.startsWith('https://api.openai.com/'),
  };
}
