import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { resultText, type ToolResult } from 'kern/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planted, type Tree } from '../search/test/tree.ts';
import { bootTools, type ToolKernel } from '../test/kernel.ts';
import type { LsDetails } from './run-ls.ts';

let t: ToolKernel;
beforeAll(async () => {
  t = await bootTools(['tools.ls']);
});
afterAll(() => t[Symbol.asyncDispose]());

async function lsOf(
  root: string,
  args: Record<string, unknown> = {},
): Promise<{ text: string; result: ToolResult<LsDetails> }> {
  const path = typeof args.path === 'string' ? join(root, args.path) : root;
  const result = (await t.callTool('ls', { ...args, path })) as ToolResult<LsDetails>;
  return { text: resultText(result).replaceAll(`${root}/`, ''), result };
}
const ls = (tree: Tree, args?: Record<string, unknown>) => lsOf(planted(tree), args);

test('a folder is listed like a dictionary, hidden files too, with sizes, folders and where links lead', async () => {
  const { text, result } = await ls({
    'b.txt': 'x'.repeat(2_048),
    'A.txt': 'x',
    'a.txt': '',
    '.hidden': 'xx',
    '.git/x': '',
    'Src/deep/c': '',
    toSrc: { link: 'Src' },
    toFile: { link: 'b.txt' },
    lost: { link: 'no/where' },
    loop: { link: 'loop' },
  });
  expect(text.split('\n')).toEqual([
    '.git/',
    '.hidden  2 bytes',
    'A.txt  1 byte',
    'a.txt  0 bytes',
    'b.txt  2.0 KB',
    'loop -> loop (leads nowhere)',
    'lost -> no/where (leads nowhere)',
    'Src/',
    'toFile -> b.txt',
    'toSrc -> Src/',
  ]);
  expect(result.details).toMatchObject({ entries: 10, truncated: false });
});

test('what is neither file nor folder is called by its name', async () => {
  const root = planted({});
  execFileSync('mkfifo', [join(root, 'p')]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, 's'), resolve));
  try {
    expect((await lsOf(root)).text).toBe('p  (pipe)\ns  (socket)');
  } finally {
    server.close();
  }
  expect((await lsOf('/dev', { path: 'null' })).text).toBe('null is a device, neither a file nor a folder.');
});

const house: Tree = {
  '.gitignore': 'node_modules\n*.log\n',
  '.git/objects/x': '',
  'a.log': '',
  'node_modules/m/index.js': '',
  'src/B/c.ts': 'x',
  'src/a.ts': '',
  up: { link: 'src' },
};

test('below it, what git ignores and .git are shown and not entered', async () => {
  expect((await ls(house, { recursive: true })).text.split('\n')).toEqual([
    '.git/',
    '.gitignore  19 bytes',
    'a.log  0 bytes  (ignored by git)',
    'node_modules/  (ignored by git)',
    'src/',
    'src/a.ts  0 bytes',
    'src/B/',
    'src/B/c.ts  1 byte',
    'up -> src/',
  ]);
});

test('depth is how many levels, and means that more than one is wanted', async () => {
  expect((await ls(house, { depth: 1 })).text.split('\n')).toHaveLength(6);
  expect((await ls(house, { depth: 2 })).text.split('\n')).toContain('src/B/');
  expect((await ls(house, { depth: 2 })).text).not.toContain('c.ts');
});

test('an ignored folder is listed when it is named', async () => {
  expect((await ls(house, { path: 'node_modules', recursive: true })).text).toBe('m/\nm/index.js  0 bytes');
});

test('a limit ends it and says so; one that is just reached does not', async () => {
  const tree = { a: '', b: '', c: '' };
  expect((await ls(tree, { limit: 2 })).text).toBe(
    'a  0 bytes\nb  0 bytes\n\n[The first 2 are shown; there are more. Make the limit larger, or list a folder below.]',
  );
  expect((await ls(tree, { limit: 3 })).text).toBe('a  0 bytes\nb  0 bytes\nc  0 bytes');
});

test('500 entries are the most where nothing is said, and 50 KB in any case', async () => {
  const tree = (length: number, name: string) =>
    Object.fromEntries(Array.from({ length }, (_, at) => [`${name}${String(at).padStart(4, '0')}`, '']));
  expect((await ls(tree(501, 'f'))).result.details).toMatchObject({ entries: 500, truncated: true });
  const { text, result } = await ls(tree(900, 'é'.repeat(100)), { limit: 5_000 });
  expect(Buffer.byteLength(resultText(result))).toBeLessThan(51 * 1024);
  expect(text).toMatch(
    /\[The first \d+ are shown \(50 KB limit\); there are more\. List a folder below, or use find\.\]$/,
  );
});

test('an empty folder, a file, and what is not there', async () => {
  expect((await ls({})).text).toBe('(empty folder)');
  expect((await ls({ 'a.txt': 'abc' }, { path: 'a.txt' })).text).toBe('a.txt  3 bytes');
  const missing = await ls({ source: '' }, { path: 'sorce' });
  expect(missing.text).toBe('sorce is not there. Did you mean source?');
  expect(missing.result.isError).toBe(true);
});

test('a name with a line feed stays one line', async () => {
  expect((await ls({ 'a\nb': '' })).text).toBe('a\\nb  0 bytes');
});

test('the working directory is listed where no path is given, and other names are understood', async () => {
  const result = await t.callTool('ls', {});
  expect(result.details).toMatchObject({ path: t.dir });
  expect((await ls(house, { max_depth: '2', max_results: 1 })).text).toMatch(/^\.git\/\n\n\[The first 1 are shown/);
});

test('an abort ends it', async () => {
  const root = planted(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`d${at}/e/f`, ''])));
  const abort = new AbortController();
  const called = t.callTool('ls', { path: root, recursive: true, limit: 100_000 }, { signal: abort.signal });
  setImmediate(() => abort.abort());
  expect(resultText(await called)).toBe('ls was aborted.');
});

test('a listing ends at its limit', async () => {
  const root = planted(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`d${at}/e/f`, ''])));
  await using short = await bootTools(['tools.ls'], [], { config: { 'tools.ls': { timeout: 0.001 } } });
  const result = await short.callTool('ls', { path: root, recursive: true, limit: 10_000 });
  expect(resultText(result)).toMatch(/Stopped after 0\.001 s|does not answer/);
});
