import { readFileSync } from 'node:fs';
import { models } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openHouse } from '../plugins/cli/test/house.ts';

const example = new URL('./model-prices.ts', import.meta.url);

test('an extension knows prices and models that the catalogue does not', async () => {
  await using house = await openHouse({ '.kern/extensions/model-prices.ts': readFileSync(example, 'utf8') });
  await house.view.use(models).load();
  const all = await house.view.service(models).list();
  expect(all.find(({ id }) => id === 'anthropic/claude-opus-5-5')).toMatchObject({
    contextWindow: 1_000_000,
    cost: { input: 3.2, output: 16 },
  });
  expect(all.find(({ model }) => model === 'claude-of-tomorrow')).toMatchObject({
    cost: null,
    contextWindow: 2_000_000,
  });
});
