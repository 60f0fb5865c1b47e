import { expect, test } from 'vitest';
import { candidates, internalTargets, mentions } from './imports.ts';

test.each([
  ["import x from './a.ts'", './a.ts'],
  ["import './a'", './a'],
  ["import{x}from'./a.js'", './a.js'],
  ["export * from '../up/b.mjs'", '../up/b.mjs'],
  ["export { a } from /* why */ './a.ts'", './a.ts'],
  ["await import( './a.ts' )", './a.ts'],
  ['await import(`./a.ts`)', './a.ts'],
  ["const x = require('./data.json')", './data.json'],
  ["import data from './data.json' with { type: 'json' }", './data.json'],
  ["import(/* c */ './data.json')", './data.json'],
  ["createRequire(import.meta.url)('./data.json')", './data.json'],
  ["require.resolve('./native.node')", './native.node'],
  ["new Worker(new URL('./worker.js', import.meta.url))", './worker.js'],
  ["const load = require; load('./hidden.cjs')", './hidden.cjs'],
  ["import '\\u002e/hidden.ts'", './hidden.ts'],
  ["import '\\x2e\\x2fhidden.ts'", './hidden.ts'],
  ["import '.\\u{2f}hidden.ts'", './hidden.ts'],
  ["// don't\nimport './a.ts'", './a.ts'],
  ["const s = 'it\\'s'; import('./a.ts')", './a.ts'],
  ["import './a.ts?v=1'", './a.ts?v=1'],
  ["require('..')", '..'],
  ["import './with space.ts'", './with space.ts'],
  ["import\n  x\n  from\n  './a.ts'", './a.ts'],
  ["import '/whole/path.ts'", '/whole/path.ts'],
  ["import 'file:///whole/path.ts'", 'file:///whole/path.ts'],
  ["import x from '#inner/a'", '#inner/a'],
])('in %j the path is found', (source, path) => {
  expect(mentions(source)).toEqual([path]);
});

test.each([
  "import x from 'package'",
  "import 'node:fs'",
  "writeFileSync('./notes.json', x)",
  "const url = 'https://a/b'",
  "const p = '/usr/bin/node'",
  "const c = '#ff0000'",
  `import(\`./${'$'}{name}.ts\`)`,
  "readFile('./log.txt')",
])('in %j there is none', (source) => {
  expect(mentions(source)).toEqual([]);
});

test('endings may be left out or written for another, and a folder has an index', () => {
  const of = candidates('/p/ext/main.ts', './a');
  for (const file of ['/p/ext/a', '/p/ext/a.ts', '/p/ext/a.json', '/p/ext/a/index.mjs', '/p/ext/a/package.json'])
    expect(of).toContain(file);
  expect(candidates('/p/ext/main.ts', '../b.js')).toContain('/p/b.ts');
  expect(candidates('/p/ext/main.ts', './c.mjs?x')).toEqual(expect.arrayContaining(['/p/ext/c.mjs', '/p/ext/c.mts']));
  expect(candidates('/p/ext/main.ts', 'file:///p/x%20y.ts')).toContain('/p/x y.ts');
  expect(candidates('/p/ext/main.ts', 'file://[')).toEqual([]);
});

test('names with # are looked up in the imports of the manifest', () => {
  const manifest = {
    imports: { '#a': './src/a.ts', '#b/*': { node: './src/b/*.ts', default: ['./src/c/*.js'] }, '#x*y': './xy/*' },
  };
  expect(internalTargets(manifest, '#a')).toEqual(['./src/a.ts']);
  expect(internalTargets(manifest, '#b/deep/f')).toEqual(['./src/b/deep/f.ts', './src/c/deep/f.js']);
  expect(internalTargets(manifest, '#x1y')).toEqual(['./xy/1']);
  for (const other of [manifest, {}, null, { imports: 3 }]) expect(internalTargets(other, '#none')).toEqual([]);
});
