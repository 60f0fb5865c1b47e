import { modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { google } from './google.ts';

export default definePlugin({
  id: 'models.google',
  description: 'Gemini, with GEMINI_API_KEY',
  requires: ['models'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning'),
  setup: (ctx) => ctx.contribute(modelProviders, google(ctx.config), { priority: 105 }),
});
