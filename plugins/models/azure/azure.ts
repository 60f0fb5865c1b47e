import {
  type Auth,
  catalogModels,
  describeModel,
  keptModel,
  type Model,
  type ModelEndpoint,
  type ModelProvider,
  modelNamed,
  providerKey,
  replyOver,
} from 'kern/contracts';

export type AzureSettings = Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning' | 'cacheRetention' | 'store'>;

const id = 'azure';
const keyName = 'AZURE_OPENAI_API_KEY';

/** OpenAI's models on Azure: OpenAI's own wires at an address of one's own. The environment is read at each call. */
export function azure(settings: AzureSettings, auth?: () => Auth): ModelProvider {
  const kept = keptModel();
  const key = providerKey({ provider: id, keys: () => [`$${keyName}`, '$AZURE_OPENAI_AD_TOKEN'], auth });
  const missing = (): string | undefined =>
    key.missing() ??
    (baseOf() === undefined ? 'AZURE_OPENAI_BASE_URL, or AZURE_OPENAI_RESOURCE_NAME, is not set' : undefined);
  const models = async (): Promise<readonly Model[]> => {
    const catalog = await import('./models.json', { with: { type: 'json' } });
    return catalogModels(id, catalog.default, missing() === undefined);
  };
  return {
    id,
    displayName: 'Azure OpenAI',
    models,
    async model(name) {
      return modelNamed(await models(), name) ?? describeModel(id, name, { available: missing() === undefined });
    },
    missing,
    keys: key.keys,
    catalog: () => id,
    stream(request, signal) {
      const { model, wire } = request.model;
      const version = variable('AZURE_OPENAI_API_VERSION');
      const endpoint: ModelEndpoint = {
        provider: id,
        baseUrl: baseOf() ?? '',
        official: true,
        deployment: deploymentOf(model),
        query: version === undefined ? undefined : { 'api-version': version },
        kept,
        fix: `check ${keyName}, the address of the resource and the name of the deployment`,
        ...settings,
      };
      return key.reply(request, signal, ({ apiKey, bearer, ...sent }) => {
        const isToken = bearer === true || (apiKey !== undefined && apiKey === variable('AZURE_OPENAI_AD_TOKEN'));
        const headers = isToken || apiKey === undefined ? {} : { 'api-key': apiKey };
        return replyOver(
          wire === 'openai-chat' ? 'openai-chat' : 'openai-responses',
          {
            ...endpoint,
            ...sent,
            ...(isToken ? { apiKey, bearer: true } : {}),
            headers: { ...sent.headers, ...headers },
          },
          request,
          signal,
        );
      });
    },
  };
}

const variable = (name: string): string | undefined => process.env[name]?.trim() || undefined;

/** Up to `/openai/v1`; what is given as the endpoint of a resource ends before that. */
function baseOf(): string | undefined {
  const resource = variable('AZURE_OPENAI_RESOURCE_NAME') ?? variable('AZURE_RESOURCE_NAME');
  const given = variable('AZURE_OPENAI_BASE_URL') ?? variable('AZURE_OPENAI_ENDPOINT');
  const base = (given ?? (resource === undefined ? undefined : `https://${resource}.openai.azure.com`))?.replace(
    /\/+$/,
    '',
  );
  if (base === undefined || /\/v1$/.test(base)) return base;
  return base.endsWith('/openai') ? `${base}/v1` : `${base}/openai/v1`;
}

/** The name of a model's deployment, where it is another: `AZURE_OPENAI_DEPLOYMENT_NAME_MAP=gpt-5=my-gpt5,o3=reasoner`. */
function deploymentOf(model: string): string | undefined {
  for (const pair of (variable('AZURE_OPENAI_DEPLOYMENT_NAME_MAP') ?? '').split(',')) {
    const [name, deployment] = pair.split('=').map((part) => part.trim());
    if (name === model && deployment) return deployment;
  }
  return variable('AZURE_OPENAI_DEPLOYMENT');
}
