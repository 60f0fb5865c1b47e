import {
  describeModel,
  keptModel,
  type Model,
  type ModelEndpoint,
  type ModelProvider,
  modelDiscovery,
  modelNamed,
  replyOver,
  whenAsked,
} from 'kern/contracts';
import type { Context } from 'kern/plugin';
import { type CustomProvider, factsOf } from './described.ts';
import { keyReader } from './key.ts';

export interface CustomTools {
  readonly spawn: Context['spawn'];
  readonly settings: Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning' | 'cacheRetention'>;
}

/** A provider of models.yml. */
export function customProvider(described: CustomProvider, tools: CustomTools): ModelProvider {
  const { id, wire, baseUrl, headers, place } = described;
  const key = keyReader(described, tools.spawn);
  const kept = keptModel();
  const models = (): readonly Model[] =>
    described.models.map((model) =>
      describeModel(id, model.id, { ...factsOf(model), available: key.missing() === undefined }),
    );
  return {
    id,
    displayName: id,
    models,
    model: (name) => modelNamed(models(), name) ?? describeModel(id, name, { available: key.missing() === undefined }),
    missing: () => key.missing(),
    catalog: () => 'models.yml',
    discovery: () => modelDiscovery(wire, { baseUrl, headers, apiKey: (signal) => key.read(signal) }),
    stream: (request, signal) =>
      whenAsked(async () => {
        const apiKey = await key.read(signal);
        const endpoint: ModelEndpoint = {
          provider: id,
          baseUrl,
          apiKey,
          headers,
          kept,
          fix: `check ${place}`,
          ...tools.settings,
        };
        return replyOver(wire, endpoint, request, signal);
      }),
  };
}
