import { auth, modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { azure } from './azure.ts';

export default definePlugin({
  id: 'models.azure',
  description: 'OpenAI models on Azure, with AZURE_OPENAI_API_KEY and the address of a resource',
  requires: ['models', 'models.auth'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning', 'cacheRetention', 'store'),
  setup: (ctx) =>
    ctx.contribute(
      modelProviders,
      azure(ctx.config, () => ctx.service(auth)),
      { priority: 49 },
    ),
});
