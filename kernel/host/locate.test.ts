import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { locateExtensions } from './locate.ts';

let home: string;
let folder: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'kern-locate-')));
  folder = join(home, 'extensions');
  mkdirSync(folder);
});

afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));

/** Every file would leave a mark if it ran. */
function write(name: string, text = `throw new Error('it was run');\n`): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function manifest(name: string, kern: unknown): void {
  write(`${name}/package.json`, JSON.stringify({ name, kern }));
}

async function entries(): Promise<string[]> {
  const { found, problems } = await locateExtensions(folder);
  expect(problems).toEqual([]);
  return found.map(({ entry }) => entry.slice(folder.length + 1));
}

test('files of every kind are extensions; declarations, tests, hidden and other files are not', async () => {
  for (const name of ['a.ts', 'b.mts', 'c.js', 'd.mjs', 'e.cjs']) write(name);
  for (const name of [
    'a.d.ts',
    'b.d.mts',
    'a.test.ts',
    'a.test.mjs',
    '.hidden.ts',
    'notes.md',
    'a.json',
    'a.ts~',
    '.#a.ts',
  ])
    write(name);
  expect(await entries()).toEqual(['a.ts', 'b.mts', 'c.js', 'd.mjs', 'e.cjs']);
});

test('a folder is an extension by its index file, one level down only', async () => {
  write('one/index.ts');
  write('two/index.js');
  write('both/index.js');
  write('both/index.ts');
  write('helpers/util.ts');
  write('deep/er/index.ts');
  write('node_modules/lib/index.js');
  write('.git/index.js');
  expect(await entries()).toEqual(['both/index.ts', 'one/index.ts', 'two/index.js']);
  const { found } = await locateExtensions(folder);
  expect(found.map(({ root }) => root)).toEqual(['both', 'one', 'two'].map((name) => join(folder, name)));
});

test('names that a terminal would obey or hide are no extensions, and are spelled out', async () => {
  for (const name of ['a\u001b[2J.ts', 'b\n.ts', 'c\u202Est.ts', 'd\u0007/index.ts']) write(name);
  manifest('pack', { extensions: ['./x\u001b[31m.ts'] });
  write('broken/package.json', '{"a": \u001b[2J}');
  const { found, problems } = await locateExtensions(folder);
  expect(found).toEqual([]);
  expect(problems).toHaveLength(6);
  const told = problems.flatMap(({ path, message }) => [path, message]).join('');
  expect(told).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(told).toContain('a\\u{1b}[2J.ts');
});

test('a package says what its entries are, and then its index file is none', async () => {
  write('pack/index.ts');
  write('pack/src/main.ts');
  write('pack/src/more.mjs');
  manifest('pack', { extensions: ['./src/more.mjs', 'src/main.ts', './src/main.ts'] });
  expect(await entries()).toEqual(['pack/src/main.ts', 'pack/src/more.mjs']);
  manifest('pack', { extensions: [] });
  expect(await entries()).toEqual([]);
  manifest('pack', { config: {} });
  expect(await entries()).toEqual(['pack/index.ts']);
});

test('a manifest speaks before anything runs', async () => {
  write('pack/main.ts');
  const kern = {
    extensions: ['./main.ts'],
    id: 'weather',
    contributes: { tool: ['forecast'], command: '*' },
    declares: ['weather/station'],
  };
  manifest('pack', kern);
  const { found } = await locateExtensions(folder);
  const { extensions: _, ...said } = kern;
  expect(found).toEqual([{ entry: join(folder, 'pack/main.ts'), root: join(folder, 'pack'), manifest: said }]);
});

test.each([
  ['a list of entries that is none', { extensions: './main.ts' }, 'kern.extensions is a list of paths'],
  ['an id that is no text', { extensions: ['./main.ts'], id: 7 }, 'kern.id is a text'],
  [
    'keys that are none',
    { extensions: ['./main.ts'], contributes: { tool: 'forecast' } },
    'kern.contributes has a list of keys',
  ],
  [
    'files that are no list',
    { extensions: ['./main.ts'], looksFor: { word: '.words' } },
    'kern.looksFor has a list of paths',
  ],
  ['declared ids that are none', { extensions: ['./main.ts'], declares: [1] }, 'kern.declares is a list of ids'],
  [
    'one manifest for two',
    { extensions: ['./main.ts', './more.ts'], id: 'x' },
    'speak of one extension, but there are 2',
  ],
])('%s is a problem that names the file', async (_what, kern, message) => {
  write('pack/main.ts');
  write('pack/more.ts');
  manifest('pack', kern);
  const { found, problems } = await locateExtensions(folder);
  expect(found).toEqual([]);
  expect(problems).toEqual([{ path: join(folder, 'pack/package.json'), message: expect.stringContaining(message) }]);
});

test('an entry stays in its package, also through a link', async () => {
  writeFileSync(join(home, 'outside.ts'), '');
  write('beside.ts');
  mkdirSync(join(folder, 'pack'));
  symlinkSync(join(home, 'outside.ts'), join(folder, 'pack/link.ts'));
  manifest('pack', { extensions: ['../../outside.ts', '../beside.ts', join(home, 'outside.ts'), '.', './link.ts'] });
  const { found, problems } = await locateExtensions(folder);
  expect(found.map(({ entry }) => entry)).toEqual([join(folder, 'beside.ts')]);
  expect(problems).toHaveLength(4); // two of them are one
  for (const { message } of problems) expect(message).toContain('lies outside');
  rmSync(join(folder, 'pack'), { recursive: true });
  mkdirSync(join(folder, 'pack'));
  symlinkSync(join(home, 'outside.ts'), join(folder, 'pack/index.ts'));
  expect((await locateExtensions(folder)).problems).toHaveLength(1);
});

test('a linked file or folder is an extension where it stands', async () => {
  mkdirSync(join(home, 'work/pack'), { recursive: true });
  writeFileSync(join(home, 'work/pack/index.ts'), '');
  writeFileSync(join(home, 'work/one.ts'), '');
  symlinkSync(join(home, 'work/pack'), join(folder, 'pack'));
  symlinkSync(join(home, 'work/one.ts'), join(folder, 'one.ts'));
  expect(await entries()).toEqual(['one.ts', 'pack/index.ts']);
});

test('an entry that is not there is a problem at the path to watch', async () => {
  manifest('pack', { extensions: ['./later.ts'] });
  const { problems } = await locateExtensions(folder);
  expect(problems).toEqual([{ path: join(folder, 'pack/later.ts'), message: expect.stringContaining('is not there') }]);
});

test('a broken, huge or strange package.json is a problem, and no other extension suffers', async () => {
  write('good.ts');
  write('broken/package.json', '{ "kern": ');
  write('broken/index.ts');
  write('huge/package.json', JSON.stringify({ filler: 'x'.repeat(1024 * 1024) }));
  write('strange/package.json', '[]');
  write('strange/index.ts');
  write('proto/package.json', '{ "__proto__": { "kern": { "extensions": ["./x.ts"] } } }');
  const { found, problems } = await locateExtensions(folder);
  expect(found.map(({ entry }) => entry)).toEqual([join(folder, 'good.ts'), join(folder, 'strange/index.ts')]);
  expect(problems.map(({ path }) => path)).toEqual([
    join(folder, 'broken/package.json'),
    join(folder, 'huge/package.json'),
  ]);
});

test.skipIf(process.platform === 'win32')('pipes are never opened', async () => {
  write('good.ts');
  mkdirSync(join(folder, 'pack'));
  execFileSync('mkfifo', [join(folder, 'pipe.ts'), join(folder, 'pack/package.json'), join(folder, 'pack/index.ts')]);
  symlinkSync(join(home, 'nowhere'), join(folder, 'dangling.ts'));
  const { found, problems } = await locateExtensions(folder);
  expect(found.map(({ entry }) => entry)).toEqual([join(folder, 'good.ts')]);
  expect(problems.map(({ path }) => path)).toEqual([join(folder, 'dangling.ts'), join(folder, 'pipe.ts')]);
});

test('a missing folder has no extensions, a file in its place is a problem', async () => {
  expect(await locateExtensions(join(home, 'absent'))).toEqual({ found: [], problems: [] });
  writeFileSync(join(home, 'file'), '');
  expect((await locateExtensions(join(home, 'file'))).problems).toHaveLength(1);
});
