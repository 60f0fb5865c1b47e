import { modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { bedrock } from './bedrock.ts';

export default definePlugin({
  id: 'models.bedrock',
  description: 'Models on Amazon Bedrock, with a Bedrock key, AWS keys or a profile',
  requires: ['models'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning', 'cacheRetention'),
  setup: (ctx) => ctx.contribute(modelProviders, bedrock(ctx.config), { priority: 50 }),
});
