import {
  type Auth,
  describeModel,
  keptModel,
  keyAtHand,
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
  const inHeaders = keyVariables(Object.values(headers));
  const sent = (): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, keyAtHand(value).key ?? '']));
  /** The variables that are not set, and what is taken from them. Without `apiKey` the server is thought to want none. */
  const unset = (): { readonly names: readonly string[]; readonly what: string } | undefined => {
    if (apiKey !== undefined && !key.has()) return { names: keyVariables(key.keys()), what: 'the key' };
    const names = inHeaders.filter((name) => !keyAtHand(`$${name}`).isThere);
    return names.length === 0 ? undefined : { names, what: 'a header' };
  };
  const missing = (): string | undefined => {
    const lacking = unset();
    if (lacking === undefined) return undefined;
    return `${lacking.names.join()} is not set; ${place} takes ${lacking.what} of ${id} from it`;
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
    secrets: () => inHeaders.map((name) => `$${name}`),
    catalog: () => 'models.yml',
    discovery: () => modelDiscovery(wire, { baseUrl, headers: sent(), apiKey: key.secret }),
    stream(request, signal) {
      const endpoint: ModelEndpoint = { provider: id, baseUrl, kept, fix: `check ${place}`, ...tools.settings };
      return key.reply(request, signal, (by) => {
        const why = missing();
        if (why !== undefined)
          throw new ModelError('model_unauthorized', why, { hint: `set ${unset()?.names.join()}` });
        return replyOver(wire, { ...endpoint, ...by, headers: { ...sent(), ...by.headers } }, request, signal);
      });
    },
  };
}
