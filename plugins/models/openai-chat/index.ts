import { auth, modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { openai } from './openai.ts';

export default definePlugin({
  id: 'models.openai-chat',
  description: 'OpenAI, and every server that speaks as it does, with OPENAI_API_KEY or OPENAI_BASE_URL',
  requires: ['models', 'models.auth'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning', 'cacheRetention', 'wire', 'store'),
  setup: (ctx) =>
    ctx.contribute(
      modelProviders,
      openai(ctx.config, () => ctx.service(auth)),
      { priority: 110 },
    ),
});
