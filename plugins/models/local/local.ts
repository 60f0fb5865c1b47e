import {
  describeModel,
  keptModel,
  type ModelEndpoint,
  type ModelProvider,
  modelDiscovery,
  replyOver,
  serverModels,
} from 'kern/contracts';

export type LocalSettings = Pick<ModelEndpoint, 'idleTimeoutMs' | 'foreignReasoning'>;

/** A program that serves models on this machine, on the port it has when nobody chooses one. */
export interface LocalServer {
  readonly id: string;
  readonly displayName: string;
  readonly port: number;
  readonly start: string;
}

export const localServers: readonly LocalServer[] = [
  { id: 'ollama', displayName: 'Ollama', port: 11434, start: 'start it with `ollama serve`' },
  { id: 'lmstudio', displayName: 'LM Studio', port: 1234, start: 'start it with `lms server start`' },
  { id: 'llama.cpp', displayName: 'llama.cpp', port: 8080, start: 'start it with `llama-server -m <file>`' },
  { id: 'vllm', displayName: 'vLLM', port: 8000, start: 'start it with `vllm serve <model>`' },
];

/** A local server as a provider. Knocking is its only way to know; the models service asks it last. */
export function localProvider(server: LocalServer, settings: LocalSettings): ModelProvider {
  const { id, displayName, port, start } = server;
  const root = `http://127.0.0.1:${port}`;
  const baseUrl = `${root}/v1`;
  const kept = keptModel();
  return {
    id,
    displayName,
    probes: true,
    models: async (signal) => (await serverModels(id, baseUrl, signal)) ?? [],
    async model(name) {
      const answer = await serverModels(id, baseUrl, undefined);
      return (
        answer?.find(({ model }) => model === name) ??
        describeModel(id, name, { contextWindow: 32_768, maxOutput: 8_192, available: answer !== undefined })
      );
    },
    discovery: () => ({
      address: root,
      async ask(signal, { network } = {}) {
        const { askLlamaCpp, askLmStudio, askOllama } = await import('./discover.ts');
        const asked = { signal, network };
        if (id === 'ollama') return askOllama(root, asked);
        if (id === 'lmstudio') return askLmStudio(root, asked);
        if (id === 'llama.cpp') return askLlamaCpp(root, asked);
        return modelDiscovery('openai-chat', { baseUrl }).ask(signal, { network });
      },
    }),
    missing: () => `${displayName} does not answer on 127.0.0.1:${port}; ${start}`,
    stream: (request, signal) =>
      replyOver('openai-chat', { provider: id, baseUrl, kept, fix: start, ...settings }, request, signal),
  };
}
