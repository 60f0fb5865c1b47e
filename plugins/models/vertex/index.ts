import { modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { vertex } from './vertex.ts';

export default definePlugin({
  id: 'models.vertex',
  description: 'Gemini on Google Vertex AI, with a project and a sign-in of gcloud, a service account or a key',
  requires: ['models'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning'),
  setup: (ctx) => ctx.contribute(modelProviders, vertex(ctx.config), { priority: 48 }),
});
