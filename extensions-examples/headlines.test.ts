import { readFileSync } from 'node:fs';
import { compactionPins, compactionStrategies } from 'kern/contracts';
import { expect, test, vi } from 'vitest';
import { openHouse } from '../plugins/cli/test/house.ts';

test('old words become few in another way, and a plan outlives it', async () => {
  const example = readFileSync(new URL('headlines.ts', import.meta.url), 'utf8');
  await using house = await openHouse({ '.kern/extensions/headlines.ts': example });
  const { view } = house;
  const strategy = () => view.use(compactionStrategies).get('headlines');
  await vi.waitFor(() => expect(strategy()).toBeDefined(), { timeout: 15_000 });
  expect(strategy()?.item.summary).toBe('What the person said, and nothing else.');
  house.write('.kern/extensions/headlines.ts', example.replace('and nothing else.', 'as a list.'));
  await vi.waitFor(() => expect(strategy()?.item.summary).toBe('What the person said, as a list.'), {
    timeout: 15_000,
  });
  expect(await view.enter(() => view.call(compactionPins, { sessionId: 's' }))).toEqual([]);
  house.write('PLAN.md', '1. rest\n');
  expect(await view.enter(() => view.call(compactionPins, { sessionId: 's' }))).toEqual([
    { id: 'headlines.plan', title: 'The plan', text: '1. rest\n' },
  ]);
});
