import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Adopt, Place } from './host.ts';
import { createLoader } from './load.ts';
import { locateExtensions } from './locate.ts';
import { house, word, words } from './test/house.ts';

const user = (name: string): string => `home/extensions/${name}`;

/** A function that says what its word is. */
const adopt: Adopt = (factory, { shortName, dialect }) => ({
  id: `${dialect ?? 'fn'}.${shortName}`,
  setup: (ctx) =>
    ctx.contribute(words, { key: shortName, text: String((factory as (api: string) => unknown)('told')) }),
});

test('a default export that is a function is what the host makes of it, under the name of its file', async () => {
  await using h = await house(
    {
      [user('one.ts')]: `export default (api) => 'one ' + api;`,
      [user('two/index.js')]: `module.exports = function (api) { return 'two ' + api; };`,
      [user('three/package.json')]: `{"pi": {"extensions": ["./src/a.ts", "./src/b.ts"]}}`,
      [user('three/src/a.ts')]: `export default (api) => 'a ' + api;`,
      [user('three/src/b.ts')]: `export default () => { throw new Error('no'); };`,
      [user('plugin.ts')]: word('plugin', 'a plugin as ever'),
      'project/.kern/extensions/four.ts': `export default () => 'blocked';`,
      'named/five.ts': `export default () => 'named';`,
    },
    { adopt, explicit: ['named/five.ts'] },
  );
  await h.host.start();
  expect(h.words()).toEqual([
    'five: named',
    'one: one told',
    'plugin: a plugin as ever',
    'three.a: a told',
    'two: two told',
  ]);
  expect(h.failures()).toEqual(['fn.three.b: plugin_failed']);
  expect(h.states()).toMatchObject({ 'project/.kern/extensions/four.ts': 'blocked' });
  await h.watch();
  h.write(user('one.ts'), `export default (api) => 'again ' + api;`);
  await h.until(
    () => h.words().includes('one: again told'),
    () => h.words(),
  );
});

test('without a host for them functions are no plugins, and that is said', async () => {
  await using h = await house({ [user('one.ts')]: `export default () => 'one';` });
  await h.host.start();
  expect(h.failures()).toEqual(['one: plugin_no_default']);
});

test('places that are found otherwise are loaded like those of the folders, and go when they are found no more', async () => {
  let found: readonly Place[] = [];
  await using h = await house({ 'there/x.ts': `export default () => 'x';` }, { adopt, others: async () => found });
  const place = (name: string): Place => ({
    entry: h.path(`there/${name}.ts`),
    folder: h.path('there'),
    level: 'user',
    name,
    shortName: name,
    dialect: 'pi',
  });
  await h.host.start();
  expect(h.words()).toEqual([]);
  found = [place('x')];
  await h.host.catchUp();
  expect(h.words()).toEqual(['x: x']);
  expect(h.told).toEqual(['pi.x live']);
  found = [];
  await h.host.catchUp();
  await h.until(
    () => h.words().length === 0,
    () => h.words(),
  );
});

test('packages speak of their extensions to kern, else to pi, else to omp', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-foreign-')));
  const write = (name: string, text = ''): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  try {
    write('a/package.json', '{"kern": {"extensions": ["k.ts"]}, "pi": {"extensions": ["p.ts"]}}');
    write('a/k.ts');
    write('b/package.json', '{"pi": {"extensions": ["./folder"]}, "omp": {"extensions": ["o.ts"]}}');
    write('b/folder/one.ts');
    write('b/folder/two/index.ts');
    write('c/package.json', '{"pi": {"skills": []}, "omp": {"extensions": ["./o.js"]}}');
    write('c/o.js');
    write('d/package.json', '{"pi": {"extensions": "all"}}');
    write('e/package.json', '{"pi": {"extensions": ["../a/k.ts"]}}');
    const { found, problems } = await locateExtensions(folder);
    const below = (path: string): string => path.slice(folder.length + 1);
    expect(found.map(({ entry, root, isOneOf }) => [below(entry), below(root), isOneOf])).toEqual([
      ['a/k.ts', 'a', undefined],
      ['b/folder/one.ts', 'b', true],
      ['b/folder/two/index.ts', 'b', true],
      ['c/o.js', 'c', undefined],
    ]);
    expect(problems.map(({ message }) => message.replaceAll(`${folder}/`, ''))).toEqual([
      'd/package.json: pi.extensions is a list of paths, such as ["./main.ts"]',
      '../a/k.ts lies outside e: an entry stays in its package',
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('names of other agents lead to what the host has now, unless a copy of its own is meant', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kern-foreign-')));
  const write = (name: string, text: string): string => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  let version = 1;
  const asked: string[] = [];
  const loader = createLoader({
    hostModules: {},
    foreignModules: {
      names: ['@other/agent', 'schemas'],
      unlessInstalled: ['schemas'],
      load: async (name) => {
        asked.push(name);
        return { name, version };
      },
    },
  });
  const exportsOf = async (file: string): Promise<unknown> =>
    (await loader.load(file, { root: dirname(file) })).exports;
  try {
    const both = write(
      'a/both.ts',
      `import { version } from '@other/agent'; import { name } from 'schemas'; export default { version, name };`,
    );
    expect(await exportsOf(both)).toEqual({ version: 1, name: 'schemas' });
    version = 2;
    expect(await exportsOf(both)).toEqual({ version: 2, name: 'schemas' });
    const required = write('a/required.cjs', `module.exports = { of: require('@other/agent').name };`);
    expect(await exportsOf(required)).toEqual({ of: '@other/agent' });
    write('b/node_modules/schemas/package.json', '{"name": "schemas", "type": "module", "exports": "./index.js"}');
    write('b/node_modules/schemas/index.js', `export const name = 'its own';`);
    const own = write('b/own.ts', `import { name } from 'schemas'; export default { name };`);
    expect(await exportsOf(own)).toEqual({ name: 'its own' });
    asked.length = 0;
    expect(await exportsOf(write('c/none.ts', 'export default { none: true };'))).toEqual({ none: true });
    expect(asked).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
