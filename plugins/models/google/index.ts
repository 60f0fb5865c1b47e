import { auth, modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { google } from './google.ts';

export default definePlugin({
  id: 'models.google',
  description: 'Gemini, with GEMINI_API_KEY',
  requires: ['models', 'models.auth'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning'),
  setup: (ctx) =>
    ctx.contribute(
      modelProviders,
      google(ctx.config, () => ctx.service(auth)),
      { priority: 105 },
    ),
});
