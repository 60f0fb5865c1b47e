import { modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { type Positions, scriptProvider } from './provider.ts';

export default definePlugin({
  id: 'models.script',
  description: 'The scripted model: replies from a file, for demos and tests',
  requires: ['models'],
  config: wireSettings('idleTimeoutMs'),
  async setup(ctx) {
    // Kept, not copied: a turn that still runs on the old code and the next one count in the same map.
    const positions = await ctx.keep<Positions>('positions', '1', () => ({ value: new Map(), release: () => {} }));
    const { idleTimeoutMs } = ctx.config;
    ctx.contribute(modelProviders, scriptProvider({ cwd: () => ctx.where.cwd, positions, idleTimeoutMs }), {
      priority: 90,
    });
  },
});
