import {
  type Auth,
  catalogModels,
  describeModel,
  isLoopback,
  keptModel,
  keyAtHand,
  type Model,
  type ModelEndpoint,
  type ModelProvider,
  modelDiscovery,
  modelNamed,
  providerKey,
  replyOver,
  serverModels,
} from 'kern/contracts';

const vendor = 'https://api.openai.com/v1';

export interface OpenAISettings
  extends Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning' | 'cacheRetention' | 'store'> {
  /** `auto`: Responses with the vendor's own server, Chat Completions with others, which rarely know more. */
  readonly wire?: 'auto' | 'openai-responses' | 'openai-chat';
}

/** OpenAI, or the server that OPENAI_BASE_URL names. The environment is read at each call. */
export function openai({ wire = 'auto', ...settings }: OpenAISettings, auth?: () => Auth): ModelProvider {
  const key = providerKey({ provider: 'openai', keys: () => ['$OPENAI_API_KEY'], auth });
  /** A server of one's own may want no key. */
  const isThere = (): boolean => place().given !== undefined || key.has();
  const kept = keptModel();
  return {
    id: 'openai',
    displayName: 'OpenAI',
    async models(signal) {
      const { baseUrl } = place();
      // A server of one's own has models of its own. A key means that it may be anywhere, so nobody knocks.
      if (!keyAtHand('$OPENAI_API_KEY').isThere && isLoopback(baseUrl)) {
        const answer = await serverModels('openai', baseUrl, signal);
        if (answer !== undefined && answer.length > 0) {
          const known = await catalog(true);
          return answer.map((model) => modelNamed(known, model.model) ?? model);
        }
      }
      return catalog(isThere());
    },
    async model(name) {
      const available = isThere();
      // Also behind another address: a gateway passes on what has the vendor's own name.
      return modelNamed(await catalog(available), name) ?? describeModel('openai', name, { available });
    },
    missing: () => (isThere() ? undefined : `${key.missing()}; nor is OPENAI_BASE_URL set`),
    keys: key.keys,
    catalog: () => (place().isOfficial ? 'openai' : undefined),
    discovery() {
      return modelDiscovery('openai-chat', { baseUrl: place().baseUrl, apiKey: key.secret });
    },
    stream(request, signal) {
      const { baseUrl, isOfficial } = place();
      const fix = isOfficial ? 'check OPENAI_API_KEY' : 'check OPENAI_BASE_URL (with /v1) and OPENAI_API_KEY';
      const official = isOfficial;
      const endpoint: ModelEndpoint = { provider: 'openai', baseUrl, official, kept, fix, ...settings };
      const usual = official ? 'openai-responses' : 'openai-chat';
      const spoken = wire === 'auto' ? usual : wire;
      return key.reply(request, signal, (sent) => replyOver(spoken, { ...endpoint, ...sent }, request, signal));
    },
  };
}

async function catalog(available: boolean): Promise<readonly Model[]> {
  const data = await import('./models.json', { with: { type: 'json' } });
  return catalogModels('openai', data.default, available);
}

function place() {
  const given = process.env.OPENAI_BASE_URL?.trim() || undefined;
  const baseUrl = given ?? vendor;
  return {
    given,
    baseUrl,
    isOfficial: baseUrl.startsWith('https://api.openai.com/'),
  };
}
