import path from 'node:path';
import { auth, type ModelOverride, modelOverrides, modelProblems, modelProviders, wireSettings } from 'kern/contracts';
import { definePlugin, type ProviderAnswer } from 'kern/plugin';
import { factsOf, type ModelsFile } from './described.ts';

export default definePlugin({
  id: 'models.custom',
  description: 'Providers and models of your own, from models.yml',
  requires: ['models', 'models.auth'],
  config: wireSettings('idleTimeoutMs', 'foreignReasoning', 'cacheRetention'),
  setup(ctx) {
    // All kinds of items are asked for in one breath.
    let reading: Promise<ModelsFile> | undefined;
    const read = (file: string): Promise<ModelsFile> => {
      reading ??= import('./models-file.ts')
        .then(({ readModelsFile }) => readModelsFile(file))
        .finally(() => {
          reading = undefined;
        });
      return reading;
    };
    ctx.provide(modelOverrides, {
      id: 'models.yml',
      displayName: 'models.yml',
      description: 'what models.yml says of models that kern knows',
      priority: 100,
      async load({ home }) {
        const file = path.join(home, 'models.yml');
        const { overrides } = await read(file);
        const said = overrides.flatMap(({ id, models }) =>
          models.map((model): ModelOverride => ({ ...factsOf(model), provider: id, model: model.id })),
        );
        // What is wrong with the file is told once, with the providers.
        return answer(file, said, []);
      },
    });
    ctx.provide(modelProblems, {
      id: 'models.yml',
      displayName: 'models.yml',
      description: 'what is wrong with models.yml',
      priority: 100,
      async load({ home }) {
        const file = path.join(home, 'models.yml');
        return answer(file, (await read(file)).problems, []);
      },
    });
    ctx.provide(modelProviders, {
      id: 'models.yml',
      displayName: 'models.yml',
      description: 'providers and models described in models.yml, in the home of kern',
      priority: 100,
      async load({ home }) {
        const file = path.join(home, 'models.yml');
        const { providers, problems: mistakes } = await read(file);
        const problems = mistakes.map(({ text }) => text);
        if (providers.length === 0) return answer(file, [], problems);
        const { customProvider } = await import('./provider.ts');
        const tools = { auth: () => ctx.service(auth), settings: ctx.config };
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
