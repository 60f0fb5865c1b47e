import { execFileSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { resultText, type ToolResult } from 'kern/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planted, type Tree } from '../search/test/tree.ts';
import { bootTools, type ToolKernel } from '../test/kernel.ts';
import type { FindDetails } from './run-find.ts';

let t: ToolKernel;
beforeAll(async () => {
  t = await bootTools(['tools.find']);
});
afterAll(() => t[Symbol.asyncDispose]());

async function findIn(
  root: string,
  args: Record<string, unknown>,
): Promise<{ text: string; result: ToolResult<FindDetails> }> {
  const path = typeof args.path === 'string' ? join(root, args.path) : root;
  const result = (await t.callTool('find', { ...args, path })) as ToolResult<FindDetails>;
  return { text: resultText(result).replaceAll(`${root}/`, ''), result };
}
const find = (tree: Tree, args: Record<string, unknown>) => findIn(planted(tree), args);
const none =
  'No files found matching the pattern\n\n[What git ignores was left out; to search it, name its folder as path.]';

const house: Tree = {
  'README.md': '',
  'src/index.ts': '',
  'src/agent/loop.ts': '',
  'src/agent/loop.test.ts': '',
  'src/Agent.ts': '',
  'test/agent/x.ts': '',
  '.github/ci.yml': '',
  '.git/config': '',
  '.gitignore': 'dist/\n*.log\n',
  'dist/index.ts': '',
  'a.log': '',
  'empty/': '',
  link: { link: 'src' },
  'lost.ts': { link: 'nowhere' },
};

test.each([
  ['a glob without a slash is about names at any depth', '*.test.ts', 'src/agent/loop.test.ts'],
  ['the name of a folder finds the folder', 'agent', 'src/agent/\ntest/agent/'],
  ['with a slash it begins at the searched folder', 'src/*.ts', 'src/Agent.ts\nsrc/index.ts'],
  ['a slash in front says so as well', '/*.md', 'README.md'],
  ['two stars reach down', 'src/**/*.ts', 'src/Agent.ts\nsrc/agent/loop.test.ts\nsrc/agent/loop.ts\nsrc/index.ts'],
  [
    'two stars in front reach everywhere',
    '**/agent/*.ts',
    'src/agent/loop.test.ts\nsrc/agent/loop.ts\ntest/agent/x.ts',
  ],
  ['a slash at the end means folders', 'agent/', 'src/agent/\ntest/agent/'],
  ['alternatives', '{src,test}/agent/{x,loop}.ts', 'src/agent/loop.ts\ntest/agent/x.ts'],
  ['lower case fits either case', '*agent*', 'src/Agent.ts\nsrc/agent/\ntest/agent/'],
  ['a capital letter means itself', 'Agent*', 'src/Agent.ts'],
  ['hidden files are found', '*.yml', '.github/ci.yml'],
  ['an empty folder is found', 'empty', 'empty/'],
  ['links are found, and not followed', '{link,lost.ts}', 'link\nlost.ts'],
  ['.git is left out', 'config', none],
  ['unless it is named', '.git/*', '.git/config'],
  ['what git ignores is left out', '*.log', none],
  ['a folder that is ignored is looked into when the glob names it', 'dist/*.ts', 'dist/index.ts'],
  ['a folder that is not there has nothing', 'nowhere/*.ts', none],
])('%s: %s', async (_name, pattern, text) => {
  expect((await find(house, { pattern })).text).toBe(text);
});

test('the whole path of the searched folder in front is left out', async () => {
  const root = planted(house);
  expect((await findIn(root, { pattern: `${root}/src/*.ts` })).text).toBe('src/Agent.ts\nsrc/index.ts');
});

test('a folder with brackets in its name is found by it', async () => {
  const tree = { 'app/[id]/(auth)/page.tsx': '', 'app/i/x.tsx': '' };
  expect((await find(tree, { pattern: 'app/[id]/**' })).text).toBe('app/[id]/(auth)/\napp/[id]/(auth)/page.tsx');
});

test('a folder that is named is searched, ignored or not', async () => {
  expect((await find(house, { pattern: '*', path: 'dist' })).text).toBe('dist/index.ts');
});

test('a limit ends it and says so; one that is just reached does not', async () => {
  const tree = { a: '', b: '', c: '' };
  expect((await find(tree, { pattern: '*', limit: 2 })).text).toBe(
    'a\nb\n\n[The first 2 are shown; there are more. Make the pattern narrower, or the limit larger.]',
  );
  const { text, result } = await find(tree, { pattern: '*', limit: 3 });
  expect(text).toBe('a\nb\nc');
  expect(result.details).toMatchObject({ found: 3, truncated: false });
});

test('1000 paths are the most where nothing is said, and 50 KB in any case', async () => {
  const name = (at: number): string => `${String(at).padStart(5, '0')}${'x'.repeat(60)}`;
  const tree = Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [name(at), '']));
  const root = planted(tree);
  const { text, result } = await findIn(root, { pattern: '*', limit: 5_000 });
  expect(Buffer.byteLength(resultText(result))).toBeLessThan(51 * 1024);
  expect(text).toMatch(
    /\[The first \d+ are shown \(50 KB limit\); there are more\. Make the pattern or the path narrower\.\]$/,
  );
  const short = planted(Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`f${at}`, ''])));
  expect((await findIn(short, { pattern: 'f*' })).result.details).toMatchObject({ found: 1_000, truncated: true });
});

test('the newest come first when that is asked for', async () => {
  const root = planted({ old: '', 'd/new': '', mid: '', same: '' });
  for (const [path, time] of [
    ['old', 1_000],
    ['d/new', 4_000],
    ['mid', 3_000],
    ['same', 3_000],
    ['d', 2_000],
  ] as const)
    utimesSync(join(root, path), time, time);
  expect((await findIn(root, { pattern: '*', sort: 'time' })).text).toBe('d/new\nmid\nsame\nd/\nold');
  expect((await findIn(root, { pattern: '*', sort: 'time', limit: 2 })).text).toBe(
    'd/new\nmid\n\n[The first 2 are shown; there are more. Make the pattern narrower, or the limit larger.]',
  );
});

test('of many files the newest are found as well', async () => {
  const root = planted(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, ''])));
  for (let at = 0; at < 300; at += 1) utimesSync(join(root, `f${at}`), 1_000 + at, 1_000 + at);
  const { text } = await findIn(root, { pattern: 'f*', sort: 'time', limit: 3 });
  expect(text.split('\n').slice(0, 3)).toEqual(['f299', 'f298', 'f297']);
});

test.each([
  [
    { pattern: '../*.ts' },
    'Nothing was looked for: the glob ../*.ts leads out of the searched folder: give that folder as the path.',
  ],
  [
    { pattern: '*.{ts,js' },
    'Nothing was looked for: in the glob this { is not closed by }:\n  *.{ts,js\n    ^\nWrite \\{ for the sign itself, {a,b} for alternatives.',
  ],
  [
    { pattern: '*[z-a]' },
    'Nothing was looked for: in the glob the range z-a is the wrong way round:\n  *[z-a]\n    ^\nWrite a-z.',
  ],
  [
    { pattern: '~/*.md' },
    'Nothing was looked for: the glob ~/*.md is about another folder: give that folder as the path, and a glob below it.',
  ],
  [
    { pattern: '/usr/lib/*' },
    'Nothing was looked for: the glob /usr/lib/* is about another folder: give that folder as the path, and a glob below it.',
  ],
  [{ pattern: '*', path: 'README.md' }, 'README.md is a file; find looks into folders.'],
  [{ pattern: '*', path: 'sorc' }, 'sorc is not there. Did you mean src?'],
])('%j is refused: %s', async (args, text) => {
  const { text: said, result } = await find(house, args);
  expect(result.isError).toBe(true);
  expect(said).toBe(text);
});

test('pipes and loops do not stop it', async () => {
  const root = planted({ 'a/loop': { link: '..' }, self: { link: 'self' } });
  execFileSync('mkfifo', [join(root, 'a/pipe')]);
  expect((await findIn(root, { pattern: '*' })).text).toBe('a/\na/loop\na/pipe\nself');
});

test('a search ends at its limit', async () => {
  const root = planted(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d${at}/e/f`, ''])));
  await using short = await bootTools(['tools.find'], [], { config: { 'tools.find': { timeout: 0.001 } } });
  for (const sort of ['path', 'time']) {
    const result = await short.callTool('find', { pattern: '*', path: root, sort });
    expect(resultText(result)).toMatch(/Stopped after 0\.001 s|does not answer/);
  }
});

test('an abort ends it', async () => {
  const root = planted(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`d${at}/e/f`, ''])));
  const abort = new AbortController();
  const called = t.callTool('find', { pattern: 'nothing', path: root }, { signal: abort.signal });
  setImmediate(() => abort.abort());
  expect(resultText(await called)).toBe('find was aborted.');
});

test('the same things under the names of other tools', async () => {
  expect((await find(house, { glob_pattern: '*.md', max_results: '5' })).text).toBe('README.md');
});

test('it says what it looks at', async () => {
  const root = planted({ 'real/a': '', link: { link: 'real' } });
  expect(await t.prepare('find', { pattern: '*', path: join(root, 'link') })).toMatchObject({
    effects: [{ kind: 'read', path: join(root, 'real') }],
  });
});
