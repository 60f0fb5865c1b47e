import { expect, test } from 'vitest';
import claude from '../anthropic/models.json' with { type: 'json' };
import { thinkingLevels } from '../contract.ts';
import gemini from '../google/models.json' with { type: 'json' };
import gpt from '../openai-chat/models.json' with { type: 'json' };
import { catalogOf } from '../vendors/catalogs.ts';
import { vendors } from '../vendors/vendors.ts';
import { type Catalog, catalogModels, modelNamed } from './models.ts';

const own: readonly [string, Catalog][] = [
  ['anthropic', claude],
  ['openai', gpt],
  ['google', gemini],
];
const all = async (): Promise<readonly (readonly [string, Catalog])[]> => [
  ...own,
  ...(await Promise.all(vendors.map(async ({ id }) => [id, await catalogOf(id)] as const))),
];

test('every model is whole, and named once', async () => {
  let count = 0;
  for (const [provider, catalog] of await all()) {
    const models = catalogModels(provider, catalog, true);
    const names = models.flatMap(({ model, aliases = [] }) => [model, ...aliases]);
    expect(new Set(names).size, provider).toBe(names.length);
    for (const model of models) {
      expect(model.contextWindow, model.id).toBeGreaterThan(4_000);
      expect(model.maxOutput, model.id).toBeGreaterThan(1_000);
      expect(model.thinking.length, model.id).toBeGreaterThan(0);
      expect(thinkingLevels, model.id).toEqual(expect.arrayContaining([...model.thinking]));
      for (const level of Object.keys(model.thinkingBudgets ?? {})) expect(model.thinking, model.id).toContain(level);
      expect(['text', 'image'], model.id).toEqual(expect.arrayContaining([...model.input]));
      expect(model.input.length, model.id).toBeGreaterThan(0);
      if (model.cost !== null && !/[:-]free$/.test(model.id)) {
        expect(model.cost.input + model.cost.output, model.id).toBeGreaterThan(0);
        for (const tier of model.cost.tiers ?? []) expect(tier.above, model.id).toBeGreaterThan(10_000);
      }
    }
    count += models.length;
    expect(catalog.source).toMatch(/^@earendil-works\/pi-ai .*MIT/);
    expect(catalog.validFrom).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
  expect(count).toBeGreaterThan(1_000);
});

test('a price that nobody knows is unknown, and never nothing', async () => {
  const models = (await all()).flatMap(([provider, catalog]) => catalogModels(provider, catalog, true));
  const free = models.filter(({ cost }) => cost !== null && cost.input === 0 && cost.output === 0);
  expect(free.every(({ id }) => /[:-]free$/.test(id))).toBe(true);
  expect(models.filter(({ cost }) => cost !== null).length).toBeGreaterThan(1_000);
});

test('by a dated name it is the same model, under that name', () => {
  const models = catalogModels('anthropic', claude, true);
  const { aliases: _, ...undated } = modelNamed(models, 'claude-haiku-4-5') ?? {};
  expect(modelNamed(models, 'claude-haiku-4-5-20251001')).toEqual({
    ...undated,
    id: 'anthropic/claude-haiku-4-5-20251001',
    model: 'claude-haiku-4-5-20251001',
  });
  expect(modelNamed(models, 'claude-haiku-9')).toBeUndefined();
});
