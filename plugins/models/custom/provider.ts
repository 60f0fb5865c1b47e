import {
  describeModel,
  keptModel,
  type Model,
  type ModelEndpoint,
  type ModelProvider,
  replyOver,
  whenAsked,
} from 'kern/contracts';
import type { Context } from 'kern/plugin';
import type { CustomModel, CustomProvider } from './described.ts';
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
    described.models.map((model) => modelOf(id, model, key.missing() === undefined));
  return {
    id,
    displayName: id,
    models,
    model: (name) =>
      models().find(({ model }) => model === name) ??
      describeModel(id, name, { available: key.missing() === undefined }),
    missing: () => key.missing(),
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

function modelOf(provider: string, described: CustomModel, available: boolean): Model {
  const { id, name, contextWindow, maxOutput, reasoning, input, cost } = described;
  return describeModel(provider, id, {
    ...(name === undefined ? {} : { name }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(input === undefined ? {} : { input }),
    ...(reasoning === true ? { thinking: ['off', 'low', 'medium', 'high'] } : {}),
    ...(cost === undefined ? {} : { cost }),
    available,
  });
}
