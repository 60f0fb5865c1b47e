import { auth, modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { anthropic } from './anthropic.ts';

export default definePlugin({
  id: 'models.anthropic',
  description: 'Claude, with ANTHROPIC_API_KEY',
  requires: ['models', 'models.auth'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning', 'cacheRetention'),
  setup: (ctx) =>
    ctx.contribute(
      modelProviders,
      anthropic(ctx.config, () => ctx.service(auth)),
      { priority: 120 },
    ),
});
