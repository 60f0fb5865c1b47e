import { auth, modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { vendorProvider } from './provider.ts';
import { vendors } from './vendors.ts';

export default definePlugin({
  id: 'models.vendors',
  description: 'Vendors that speak like OpenAI, Anthropic or Google, each with its key',
  requires: ['models', 'models.auth'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning', 'cacheRetention'),
  setup(ctx) {
    for (const [at, vendor] of vendors.entries())
      ctx.contribute(
        modelProviders,
        vendorProvider(vendor, ctx.config, () => ctx.service(auth)),
        { priority: 95 - at },
      );
  },
});
