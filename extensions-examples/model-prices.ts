// Says more of models than their provider does: the prices of one's own contract, and a model that no list has yet.
import { modelOverrides } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

export default definePlugin({
  id: 'model-prices',
  setup(ctx) {
    ctx.contribute(modelOverrides, {
      provider: 'anthropic',
      model: 'claude-opus-5-5',
      cost: { input: 3.2, output: 16, cacheRead: 0.16, cacheWrite: 4 },
    });
    ctx.contribute(modelOverrides, {
      provider: 'anthropic',
      model: 'claude-of-tomorrow',
      name: 'Claude of Tomorrow',
      contextWindow: 2_000_000,
      input: ['text', 'image'],
      thinking: ['off', 'low', 'high'],
    });
  },
});
