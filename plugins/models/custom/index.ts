import path from 'node:path';
import { modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin, type ProviderAnswer } from 'kern/plugin';

export default definePlugin({
  id: 'models.custom',
  description: 'Providers and models of your own, from models.yml',
  requires: ['models'],
  after: ['processes'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning', 'cacheRetention'),
  setup(ctx) {
    ctx.provide(modelProviders, {
      id: 'models.yml',
      displayName: 'models.yml',
      description: 'providers and models described in models.yml, in the home of kern',
      priority: 100,
      async load({ home }) {
        const file = path.join(home, 'models.yml');
        const { readModelsFile } = await import('./models-file.ts');
        const { providers, problems } = await readModelsFile(file);
        if (providers.length === 0) return answer(file, [], problems);
        const { customProvider } = await import('./provider.ts');
        const tools = { spawn: ctx.spawn.bind(ctx), settings: ctx.config };
        return answer(
          file,
          providers.map((provider) => customProvider(provider, tools)),
          problems,
        );
      },
    });
  },
});

function answer<T>(file: string, items: readonly T[], warnings: readonly string[]): ProviderAnswer<T> {
  return { items: items.map((item) => ({ item, level: 'user' as const, path: file })), warnings, watch: [file] };
}
