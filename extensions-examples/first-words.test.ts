import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { agentSessions, scriptFile } from 'kern/contracts';
import { expect, test } from 'vitest';
import { openHouse } from '../plugins/cli/test/house.ts';

const example = new URL('./first-words.ts', import.meta.url);

test('an extension looks on at what models answer', async () => {
  using script = scriptFile([{ text: 'Hello to you' }, { text: 'Again' }]);
  await using house = await openHouse({ '.kern/extensions/first-words.ts': readFileSync(example, 'utf8') });
  const { view, project } = house;
  await view.use(agentSessions).load();
  await using session = await view
    .service(agentSessions)
    .create({ view, cwd: project, model: script.model, persist: false, oneShot: true });
  for (const text of ['hi', 'again']) expect(await session.prompt({ text })).toMatchObject({ status: 'ok' });
  const log = path.join(project, 'first-words.log');
  expect(existsSync(log)).toBe(true);
  expect(readFileSync(log, 'utf8')).toMatch(/^(script\/\S+ \d+ ms\n){2}$/);
});
