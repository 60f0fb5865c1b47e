import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { folderWith, put } from '../trust/test/folder.ts';
import { dig, plain } from './node.ts';
import { type Found, findConfig, placesOfProject, projectPlaces, userPlaces } from './places.ts';

const find = (folder: string, places = projectPlaces): Promise<Found> => findConfig(folder, places, new Map());
const modelIn = ({ root }: Found): unknown => {
  const { node } = dig(root, ['model']);
  return node === undefined ? undefined : plain(node);
};

const texts: Record<string, string> = Object.fromEntries(
  projectPlaces.map((place) => [place, place.endsWith('.json') ? JSON.stringify({ model: place }) : `model: ${place}`]),
);
texts['package.json'] = JSON.stringify({ name: 'x', kern: { config: { model: 'package.json' } } }, undefined, 2);

test('one file wins, in the order of the places, and the others are named', async () => {
  for (const [index, place] of projectPlaces.entries()) {
    const rest = projectPlaces.slice(index);
    const folder = folderWith(Object.fromEntries(rest.map((name) => [name, texts[name] ?? ''])));
    const found = await find(folder);
    expect(modelIn(found)).toBe(place);
    expect(found.file).toBe(path.join(folder, place));
    expect(found.shadowed).toEqual(rest.slice(1).map((name) => path.join(folder, name)));
  }
});

test('every place is to be watched, also where nothing is', async () => {
  const folder = folderWith();
  expect((await find(folder)).places).toEqual(projectPlaces.map((place) => path.join(folder, place)));
  expect((await find(folder, userPlaces)).file).toBeUndefined();
});

test('an empty file does not win over one that says something', async () => {
  const folder = folderWith({ '.kern/config.yml': '\n', '.kernrc': 'model: a' });
  expect(modelIn(await find(folder))).toBe('a');
});

test('.kernrc is YAML or JSON', async () => {
  expect(modelIn(await find(folderWith({ '.kernrc': '{"model": "json"}' })))).toBe('json');
  expect(modelIn(await find(folderWith({ '.kernrc': 'model: yaml' })))).toBe('yaml');
});

test('of package.json only kern.config counts, with its lines', async () => {
  const found = await find(folderWith({ 'package.json': texts['package.json'] ?? '' }));
  expect(dig(found.root, ['model']).node?.line).toBe(5);
  const others = [
    { model: 'x' },
    { kern: { extensions: ['./a.ts'] } },
    { 'kern.config': { model: 'x' } },
    { keywords: ['kern'] },
    null,
    3,
  ];
  for (const manifest of others)
    expect(await find(folderWith({ 'package.json': JSON.stringify(manifest) }))).toMatchObject({
      problems: [],
      shadowed: [],
      broken: false,
    });
  expect((await find(folderWith({ 'package.json': '{ "kern": { "config": [] } }' }))).problems).toMatchObject([
    { line: 1, message: 'kern.config must be a map of settings' },
  ]);
});

test('a package.json that is no manifest of ours shadows nothing and is not shadowed', async () => {
  const folder = folderWith({ 'package.json': '{ "kern": { "extensions": [] } }', '.kernrc': 'model: a' });
  expect((await find(folder)).shadowed).toEqual([]);
});

test('a broken file still is the file of its level, and the line is named', async () => {
  const found = await find(folderWith({ '.kern/config.yml': 'a: 1\nb: "\n', '.kernrc': 'model: a' }));
  expect(found).toMatchObject({
    broken: true,
    problems: [{ file: expect.stringContaining('.kern/config.yml'), line: expect.any(Number) }],
  });
  expect(modelIn(found)).toBeUndefined();
});

test('$import brings in nothing', async () => {
  const folder = folderWith({ 'other.yml': 'model: imported', '.kernrc': '$import: ./other.yml\nthinking: low\n' });
  const found = await find(folder);
  expect(plain(found.root)).toEqual({ $import: './other.yml', thinking: 'low' });
});

test('a link out of the project is data all the same', async () => {
  const outside = folderWith({ 'elsewhere.yml': 'model: linked' });
  const folder = folderWith({ '.kern/x': '' });
  symlinkSync(path.join(outside, 'elsewhere.yml'), path.join(folder, '.kern/config.yml'));
  expect(modelIn(await find(folder))).toBe('linked');
});

test('what is no plain file of a sensible size is left out, and nothing hangs', async () => {
  const folder = folderWith({ '.kern/config.yaml': `model: ${'x'.repeat(1_100_000)}`, '.kernrc': 'model: a' });
  execFileSync('mkfifo', [path.join(folder, '.kern/config.yml')]);
  symlinkSync('/dev/zero', path.join(folder, '.kernrc.json'));
  symlinkSync('loop', path.join(folder, '.kernrc.yaml'));
  symlinkSync('.kernrc.yaml', path.join(folder, 'loop'));
  mkdirSync(path.join(folder, '.kernrc.yml'));
  execFileSync('mkfifo', [path.join(folder, 'package.json')]);
  const found = await find(folder);
  expect(modelIn(found)).toBe('a');
  expect(found.problems.map(({ file }) => path.basename(file ?? ''))).toEqual([
    'config.yml',
    'config.yaml',
    '.kernrc.json',
    '.kernrc.yaml',
    '.kernrc.yml',
  ]);
  expect(found.broken).toBe(true);
});

test('a file named .kern holds no config', async () => {
  expect(await find(folderWith({ '.kern': 'model: a' }))).toMatchObject({ problems: [], broken: false });
});

test("in the home folder itself kern's own config is not the project's", () => {
  const folder = folderWith({ '.kern/config.yml': '' });
  expect(placesOfProject(folder, path.join(folder, '.kern'))).not.toContain('.kern/config.yml');
  expect(placesOfProject(folder, path.join(folder, 'elsewhere'))).toBe(projectPlaces);
});

/** Loads the config of a hostile folder in a Node of its own, as the program does; answers what it imported. */
function loadInChild(cwd: string, home: string): string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve: (name, context, next) => { seen.push(name); return next(name, context); } });
    const { loadConfig } = await import(${JSON.stringify(pathToFileURL(path.resolve('kernel/config/config.ts')).href)});
    const config = await loadConfig({ home: ${JSON.stringify(home)}, root: ${JSON.stringify(cwd)}, env: process.env });
    config.list();
    console.log(JSON.stringify(seen));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
  return JSON.parse(output) as string[];
}

const isParser = (name: string): boolean => /cosmiconfig|js-yaml|^yaml$/.test(name);

test('no parser is loaded where there is no config file', () => {
  const folder = folderWith({ 'project/package.json': '{ "name": "x", "keywords": ["kern"] }', 'home/x': '' });
  expect(loadInChild(path.join(folder, 'project'), path.join(folder, 'home')).filter(isParser)).toEqual([]);
});

test.each([
  ['', {}],
  [
    ', with settings for the searcher itself',
    {
      'package.yaml': 'cosmiconfig: { searchPlaces: [kern.config.js] }',
      '.config/config.yml': 'cosmiconfig: { searchPlaces: [kern.config.js] }',
    },
  ],
])('nothing that a project holds is executed, or applied from .env, when its config is read%s', (_, more) => {
  const folder = folderWith({ 'home/x': '' });
  const project = path.join(folder, 'project');
  const mark = (name: string): string =>
    `require('node:fs').writeFileSync(${JSON.stringify(path.join(folder, 'marks', name))}, '')`;
  mkdirSync(path.join(folder, 'marks'));
  const endings = ['js', 'cjs', 'mjs', 'ts', 'cts', 'mts'];
  const names = [
    'kern.config',
    '.kernrc',
    '.kern/config',
    '.config/kernrc',
    '.config/config',
    '.config/kern.config',
  ].flatMap((name) => endings.map((ending) => `${name}.${ending}`));
  for (const name of names) {
    const isModule = /\.m?[jt]s$/.test(name) && !name.endsWith('.cjs');
    const call = mark(name.replaceAll('/', '_'));
    put(project, {
      [name]: isModule
        ? `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); ${call}; export default { model: 'evil' };`
        : `${call}; module.exports = { model: 'evil' };`,
    });
  }
  put(project, {
    'package.json': JSON.stringify({ kern: { config: { thinking: 'low', $import: './kern.config.cjs' } } }),
    ...more,
    '.env': 'KERN_MODEL=evil\nKERN_CONFIG=./kern.config.js\nKERN_HOME=.\n',
  });
  expect(loadInChild(project, path.join(folder, 'home')).some(isParser)).toBe(true);
  expect(readdirSync(path.join(folder, 'marks'))).toEqual([]);
  expect(existsSync(path.join(project, '.config/config.js'))).toBe(true);
});
