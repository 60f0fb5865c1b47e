import { resultText } from 'kern/contracts';
import { describe, expect, test } from 'vitest';
import type { Tree } from './../search/test/tree.ts';
import { enginesHere, grepWith } from './test/engines.ts';

const engines = await enginesHere();
const none = 'No matches found\n\n[What git ignores was left out; to search it, name its folder as path.]';

const house: Tree = {
  'b.ts': 'const b = 1;\n// TODO b\n',
  'a.ts': 'const a = 1;\n// todo a\n',
  'src/deep/c.tsx': '// TODO c\n',
  'src/d.js': '// TODO d\n',
  '.hidden/e.ts': '// TODO e\n',
  '.git/f.ts': '// TODO f\n',
  'readme.md': 'TODO\n',
};

/** The same for every engine, to the letter. */
const cases: Readonly<
  Record<string, { readonly tree: Tree; readonly args: Record<string, unknown>; readonly text: string }>
> = {
  'a glob without a slash is about names at any depth': {
    tree: house,
    args: { pattern: 'TODO', glob: '*.tsx' },
    text: 'src/deep/c.tsx:1: // TODO c',
  },
  'a glob with a slash begins at the searched folder': {
    tree: { 'src/a.ts': 'x', 'src/deep/b.ts': 'x', 'lib/src/c.ts': 'x' },
    args: { pattern: 'x', glob: 'src/*.ts' },
    text: 'src/a.ts:1: x',
  },
  'a glob with two stars reaches down': {
    tree: { 'src/a.ts': 'x', 'src/deep/b.ts': 'x', 'lib/src/c.ts': 'x', 'src/d.js': 'x' },
    args: { pattern: 'x', glob: 'src/**/*.{ts,tsx}' },
    text: 'src/a.ts:1: x\nsrc/deep/b.ts:1: x',
  },
  'a glob brings back nothing that git ignores': {
    tree: { '.gitignore': 'gen.ts\nout/\n', 'gen.ts': 'x', 'a.ts': 'x', 'out/b.ts': 'x', 'src/out/c.ts': 'x' },
    args: { pattern: 'x', glob: '**/*.ts' },
    text: 'a.ts:1: x',
  },
  'a glob that names a folder is about all that is in it': {
    tree: { 'src/a.ts': 'x', 'src/deep/b.md': 'x', 'c.ts': 'x' },
    args: { pattern: 'x', glob: 'src/' },
    text: 'src/a.ts:1: x\nsrc/deep/b.md:1: x',
  },
  'include takes several globs, and exclude leaves out files and folders': {
    tree: { 'a.ts': 'x', 'b.js': 'x', 'c.md': 'x', 'gen/d.ts': 'x', 'src/gen/e.ts': 'x', 'src/a.test.ts': 'x' },
    args: { pattern: 'x', include: ['*.ts', '*.js'], exclude: ['gen', '*.test.ts'] },
    text: 'a.ts:1: x\nb.js:1: x',
  },
  'globs with commas between them are several': {
    tree: { 'a.ts': 'x', 'b.tsx': 'x', 'c.js': 'x' },
    args: { pattern: 'x', glob: '*.ts, *.tsx' },
    text: 'a.ts:1: x\nb.tsx:1: x',
  },
  'an exclude with a slash begins at the searched folder': {
    tree: { 'gen/a.ts': 'x', 'src/gen/b.ts': 'x' },
    args: { pattern: 'x', exclude: '/gen' },
    text: 'src/gen/b.ts:1: x',
  },
  'a glob that says no excludes': {
    tree: { 'a.ts': 'x', 'b.js': 'x' },
    args: { pattern: 'x', glob: '!*.js' },
    text: 'a.ts:1: x',
  },
  'a glob of a folder that is not there finds nothing': {
    tree: { 'a.ts': 'x' },
    args: { pattern: 'x', glob: 'nowhere/**/*.ts' },
    text: none,
  },
  'globs of several folders are searched in order': {
    tree: { 'z/a.ts': 'x', 'b/a.ts': 'x', 'm/a.ts': 'x', 'b/c/d.ts': 'x' },
    args: { pattern: 'x', include: ['z/*.ts', 'b/c/*', 'b/**'] },
    text: 'b/a.ts:1: x\nb/c/d.ts:1: x\nz/a.ts:1: x',
  },
  'a type and a glob both have to fit': {
    tree: { 'src/a.ts': 'x', 'src/b.js': 'x', 'c.ts': 'x' },
    args: { pattern: 'x', type: 'ts', glob: 'src/**' },
    text: 'src/a.ts:1: x',
  },
  'a repository may exclude files for itself': {
    tree: { '.git/info/exclude': 'mine.txt\n', 'mine.txt': 'hit\n', 'ours.txt': 'hit\n' },
    args: { pattern: 'hit' },
    text: 'ours.txt:1: hit',
  },
  'a glob that leads out is an error': {
    tree: { 'a.ts': 'x' },
    args: { pattern: 'x', glob: '../*.ts' },
    text: 'It was not searched: the glob ../*.ts leads out of the searched folder: give that folder as the path.',
  },
  'a glob that is none is an error that shows where': {
    tree: { 'a.ts': 'x' },
    args: { pattern: 'x', glob: 'src/[a.ts' },
    text: 'It was not searched: in the glob this [ is not closed by ]:\n  src/[a.ts\n      ^\nWrite \\[ for the sign itself.',
  },
  'an exclude that is none as well': {
    tree: { 'a.ts': 'x' },
    args: { pattern: 'x', exclude: ['a', '{b,c'] },
    text: 'It was not searched: in the glob this { is not closed by }:\n  {b,c\n  ^\nWrite \\{ for the sign itself, {a,b} for alternatives.',
  },
  'alternatives as shells have them are refused': {
    tree: { 'a.ts': 'x' },
    args: { pattern: 'x', include: ['*.@(ts|js)'] },
    text: 'It was not searched: in the glob @(…) is not known here:\n  *.@(ts|js)\n    ^\nWrite {a,b} for alternatives, \\( for the sign itself.',
  },
  'a glob of the home folder is refused': {
    tree: { 'a.ts': 'x' },
    args: { pattern: 'x', glob: '~/*.ts' },
    text: 'It was not searched: the glob ~/*.ts is about another folder: give that folder as the path, and a glob below it.',
  },
  'a glob of another folder is refused': {
    tree: { 'a.ts': 'x' },
    args: { pattern: 'x', exclude: ['/usr/lib/*'] },
    text: 'It was not searched: the glob /usr/lib/* is about another folder: give that folder as the path, and a glob below it.',
  },
  'ranges, single alternatives and folders named by brackets are what they say': {
    tree: { 'v1.ts': 'x', 'v2.ts': 'x', 'v3.ts': 'x', 'app/[id]/(x)/a.ts': 'x', 'app/i/(x)/a.ts': 'x', 'b.js': 'x' },
    args: { pattern: 'x', include: ['v{1..2}.ts', 'app/[id]/(x)/*', '*.{js}'] },
    text: 'app/[id]/(x)/a.ts:1: x\nb.js:1: x\nv1.ts:1: x\nv2.ts:1: x',
  },
  'commas within braces are no list': {
    tree: { 'a.ts': 'x', 'b.js': 'x', 'src/c.js': 'x', 'c.md': 'x' },
    args: { pattern: 'x', glob: '*.ts,src/*.{js,md}' },
    text: 'a.ts:1: x\nsrc/c.js:1: x',
  },
  'a question mark is one character': {
    tree: { 'é.ts': 'x', 'ab.ts': 'x' },
    args: { pattern: 'x', glob: '?.ts' },
    text: 'é.ts:1: x',
  },
};

for (const { name, rg } of engines) {
  describe(name, () => {
    const engine = grepWith(rg);

    test.each(Object.entries(cases))('%s', async (_name, { tree, args, text }) => {
      expect((await engine.grep(tree, args)).text).toBe(text);
    });

    test('the whole path of the searched folder in front of a glob is left out', async () => {
      const folder = engine.folder({ 'src/a.ts': 'x\n', 'b.ts': 'x\n' });
      const { kernel } = engine;
      const result = await kernel.callTool('grep', { pattern: 'x', path: folder, glob: `${folder}/src/*.ts` });
      expect(resultText(result)).toMatch(/^\S*src\/a\.ts:1: x$/);
    });
  });
}
