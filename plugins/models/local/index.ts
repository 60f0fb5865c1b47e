import { modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { localProvider, localServers } from './local.ts';

export default definePlugin({
  id: 'models.local',
  description: 'Ollama, LM Studio, llama.cpp and vLLM, where they run on this machine',
  requires: ['models'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning'),
  setup(ctx) {
    for (const server of localServers) ctx.contribute(modelProviders, localProvider(server, ctx.config));
  },
});
