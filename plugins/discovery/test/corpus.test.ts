import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { builtins } from '../../index.ts';
import { readCase, tableOf } from './corpus.ts';

const folder = path.join(import.meta.dirname, 'corpus');
const cases = readdirSync(folder).flatMap((name) =>
  name.endsWith('.case.txt') ? [name.replace('.case.txt', '')] : [],
);

afterEach(() => vi.unstubAllEnvs());

test.each(cases)('what is found in the place %s is what its table says', async (name) => {
  const place = readCase(readFileSync(path.join(folder, `${name}.case.txt`), 'utf8'));
  for (const [variable, value] of Object.entries(place.env)) vi.stubEnv(variable, value);
  const plugins = await Promise.all(
    builtins.filter(({ id }) => id === 'discovery' || id.startsWith('discovery.')).map((builtin) => builtin.load()),
  );
  // After a change that is meant: vitest run plugins/discovery -u
  await expect(await tableOf(place, plugins)).toMatchFileSnapshot(path.join(folder, `${name}.table.txt`));
});
