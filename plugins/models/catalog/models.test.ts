import { expect, test } from 'vitest';
import claude from '../anthropic/models.json' with { type: 'json' };
import { thinkingLevels } from '../contract.ts';
import gpt from '../openai-chat/models.json' with { type: 'json' };
import { catalogModels } from './models.ts';

test.each([
  ['anthropic', claude],
  ['openai', gpt],
])('every model of %s is whole, and named once', (provider, catalog) => {
  const models = catalogModels(provider, catalog, true);
  expect(models.length).toBeGreaterThan(10);
  expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
  for (const model of models) {
    expect(model.contextWindow).toBeGreaterThanOrEqual(128_000);
    expect(model.maxOutput).toBeGreaterThan(8_000);
    expect(model.thinking.length).toBeGreaterThan(0);
    expect(thinkingLevels).toEqual(expect.arrayContaining([...model.thinking]));
    expect(['text', 'image']).toEqual(expect.arrayContaining([...model.input]));
    expect(model.cost?.input).toBeGreaterThan(0);
  }
  expect(catalog.source).toMatch(/^@earendil-works\/pi-ai .*MIT/);
  expect(catalog.validFrom).toMatch(/^\d{4}-\d\d-\d\d$/);
});
