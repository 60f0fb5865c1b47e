import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scenarios } from './test/fresh-code.ts';
import { workbench } from './test/workbench.ts';

for (const [name, scenario] of Object.entries(scenarios)) {
  test(name, async () => {
    using bench = workbench();
    await scenario(bench);
    expect(bench.loader).toBeDefined(); // the scenario asserts with node:assert, so that it also runs without vitest
  });
}

test('the same holds in plain Node, from the sources', () => {
  const script = fileURLToPath(new URL('./test/run.ts', import.meta.url));
  const lines = execFileSync(process.execPath, [script], { encoding: 'utf8' }).trim().split('\n');
  expect(lines).toEqual(Object.keys(scenarios).map((name) => `ok ${name}`));
});
