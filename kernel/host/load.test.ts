import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { transformer } from './compile.ts';
import { createLoader } from './load.ts';
import { names, workbench } from './test/workbench.ts';

const soak = process.env.KERN_SOAK === '1';
const source = `export default { value: 'transformed' as string };\n`;

test('the cache of transformed sources names the jiti that made them', () => {
  const jiti: { version: string } = createRequire(import.meta.url)('jiti/package.json');
  expect(transformer).toBe(`jiti ${jiti.version}`);
});

test.skipIf(process.platform === 'win32')('the cache is private, and an open folder is closed', async () => {
  using bench = workbench();
  mkdirSync(bench.cache, { mode: 0o777 });
  chmodSync(bench.cache, 0o777);
  bench.write('entry.ts', source);
  await createLoader({ cacheDir: bench.cache, hostModules: {} }).load(bench.path('entry.ts'), { root: bench.plugin });
  expect(statSync(bench.cache).mode & 0o777).toBe(0o700);
  const [file = ''] = names(bench.cache);
  expect(file).toMatch(/^entry\.ts-[0-9a-f]{16}\.js$/);
  expect(statSync(join(bench.cache, file)).mode & 0o777).toBe(0o600);
});

test('what is cached runs without a transform, one file a source, and never for another content', async () => {
  using bench = workbench();
  bench.write('entry.ts', source);
  await bench.load('entry.ts');
  const [file = ''] = names(bench.cache);
  const cached = join(bench.cache, file);
  const planted = readFileSync(cached, 'utf8').replaceAll('transformed', 'from the cache');
  writeFileSync(cached, planted);
  expect((await bench.load('entry.ts')).exports).toEqual({ value: 'from the cache' });
  bench.write('entry.ts', source.replace('transformed', 'changed'));
  expect((await bench.load('entry.ts')).exports).toEqual({ value: 'changed' });
  writeFileSync(cached, readFileSync(cached, 'utf8').slice(0, 40)); // a writer that died
  expect((await bench.load('entry.ts')).exports).toEqual({ value: 'changed' });
  expect(names(bench.cache)).toEqual([file]);
});

test('without a usable cache it loads all the same', async () => {
  using bench = workbench();
  bench.write('entry.ts', source);
  const file = join(bench.folder, 'a-file');
  writeFileSync(file, '');
  symlinkSync(bench.plugin, join(bench.folder, 'a-link'));
  for (const cacheDir of [undefined, join(file, 'cache'), join(bench.folder, 'a-link')]) {
    const loader = createLoader({ hostModules: {}, ...(cacheDir === undefined ? {} : { cacheDir }) });
    expect((await loader.load(bench.path('entry.ts'), { root: bench.plugin })).exports).toEqual({
      value: 'transformed',
    });
  }
  expect(names(bench.plugin)).toEqual(['entry.ts']);
});

test('each host name is loaded once, when it is first imported', async () => {
  using bench = workbench();
  const loaded: string[] = [];
  const module = (name: string) => async (): Promise<object> => {
    loaded.push(name);
    return { name };
  };
  const hostModules = { 'kern/plugin': module('kern/plugin'), zod: module('zod'), 'zod/mini': module('zod/mini') };
  const loader = createLoader({ cacheDir: bench.cache, hostModules });
  bench.write('none.ts', source);
  await loader.load(bench.path('none.ts'), { root: bench.plugin });
  expect(loaded).toEqual([]);
  bench.write('entry.ts', `import * as zod from 'zod';\nexport default zod;\n`);
  bench.write('entry.cjs', `module.exports = [require('zod'), require('zod/mini')];\n`);
  const side = ['entry.ts', 'entry.ts'].map((name) => loader.load(bench.path(name), { root: bench.plugin }));
  const [first] = (await Promise.all(side)).map(({ exports }) => exports);
  const second = (await loader.load(bench.path('entry.cjs'), { root: bench.plugin })).exports as readonly unknown[];
  expect(first).toBe(second[0]);
  expect(loaded).toEqual(['zod', 'zod/mini']);
});

test('two loaders in one process have host objects of their own', async () => {
  using bench = workbench();
  bench.write('entry.ts', `import { which } from 'kern/plugin';\nexport default { which };\n`);
  for (const which of ['one', 'two']) {
    const loader = createLoader({ cacheDir: bench.cache, hostModules: { 'kern/plugin': () => ({ which }) } });
    expect((await loader.load(bench.path('entry.ts'), { root: bench.plugin })).exports).toEqual({ which });
  }
});

test('loads that run side by side do not meet', async () => {
  using bench = workbench();
  bench.write('entry.ts', `import { state } from './state.mjs';\nstate.count += 1;\nexport default state;\n`);
  bench.write('state.mjs', `await null;\nexport const state = { count: 0 };\n`);
  const loaded = await Promise.all(Array.from({ length: 20 }, () => bench.load('entry.ts')));
  expect(new Set(loaded.map(({ exports }) => exports)).size).toBe(20);
  expect(loaded.every(({ exports }) => (exports as { count: number }).count === 1)).toBe(true);
});

// What a leak looks like: Node's own registry would keep some 125 KB of each reload of this 10 KB plugin.
test.each([
  ['ts', soak ? 300 : 20],
  ['mjs', soak ? 60 : 20],
  ['cjs', soak ? 300 : 20],
])(
  'the heap is after many reloads of a .%s what it was before',
  (kind, reloads) => {
    const script = fileURLToPath(new URL('./test/heap.ts', import.meta.url));
    const line = execFileSync(process.execPath, ['--expose-gc', script, kind, String(reloads)], { encoding: 'utf8' });
    const { count, perReload }: { count: number; perReload: number } = JSON.parse(line);
    expect(count).toBe(reloads);
    expect(count * perReload).toBeLessThan(soak ? 5_000_000 : 1_500_000);
  },
  90_000,
);
