import { definePlugin } from 'kern/plugin';
import { choiceSettings } from './choice-settings.ts';
import {
  modelHeaders,
  modelObservers,
  modelOverrides,
  modelProblems,
  modelProviders,
  modelRequest,
  modelResponse,
  models,
} from './contract.ts';
import { createModels } from './models.ts';
import { ConfiguredNetwork } from './network.ts';
import { networkSettings } from './network-settings.ts';

export default definePlugin({
  id: 'models',
  description: 'Finds models over all providers, and streams their replies',
  declares: [
    modelProviders,
    modelOverrides,
    modelProblems,
    modelObservers,
    modelRequest,
    modelHeaders,
    modelResponse,
    models,
  ],
  settings: [...choiceSettings, ...networkSettings],
  setup(ctx) {
    const network = new ConfiguredNetwork((key) => ctx.setting(key));
    ctx.defer(() => network.close());
    ctx.contribute(models, createModels(ctx, network));
  },
});
