import { definePlugin } from 'kern/plugin';
import { modelProviders, modelRequest, modelResponse, models } from './contract.ts';
import { createModels } from './models.ts';

export default definePlugin({
  id: 'models',
  description: 'Finds models over all providers, and streams their replies',
  declares: [modelProviders, modelRequest, modelResponse, models],
  setup: (ctx) => ctx.contribute(models, createModels(ctx)),
});
