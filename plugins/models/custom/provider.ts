import {
  type Auth,
  describeModel,
  keptModel,
  keyVariables,
  type Model,
  type ModelEndpoint,
  ModelError,
  type ModelProvider,
  modelDiscovery,
  modelNamed,
  providerKey,
  replyOver,
} from 'kern/contracts';
import { type CustomProvider, factsOf } from './described.ts';

export interface CustomTools {
  readonly auth: () => Auth;
  readonly settings: Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning' | 'cacheRetention'>;
}

/** A provider of models.yml. */
export function customProvider(described: CustomProvider, tools: CustomTools): ModelProvider {
  const { id, wire, baseUrl, headers, place, apiKey } = described;
  const key = providerKey({ provider: id, keys: () => (apiKey === undefined ? [] : [apiKey]), auth: tools.auth });
  const variables = keyVariables(key.keys());
  /** Without `apiKey` the server is thought to want none. */
  const missing = (): string | undefined => {
    if (apiKey === undefined || key.has()) return undefined;
    return `${variables.join()} is not set; ${place} takes the key of ${id} from it`;
  };
  const kept = keptModel();
  const models = (): readonly Model[] =>
    described.models.map((model) =>
      describeModel(id, model.id, { ...factsOf(model), available: missing() === undefined }),
    );
  return {
    id,
    displayName: id,
    models,
    model: (name) => modelNamed(models(), name) ?? describeModel(id, name, { available: missing() === undefined }),
    missing,
    keys: key.keys,
    catalog: () => 'models.yml',
    discovery: () => modelDiscovery(wire, { baseUrl, headers, apiKey: key.secret }),
    stream(request, signal) {
      const endpoint: ModelEndpoint = { provider: id, baseUrl, kept, fix: `check ${place}`, ...tools.settings };
      return key.reply(request, signal, (sent) => {
        const why = missing();
        if (why !== undefined) throw new ModelError('model_unauthorized', why, { hint: `set ${variables.join()}` });
        return replyOver(wire, { ...endpoint, ...sent, headers: { ...headers, ...sent.headers } }, request, signal);
      });
    },
  };
}
