import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { TrustItem } from '../plugin.ts';
import { contentOf, Unbound } from './content.ts';
import { isInside } from './files.ts';
import { failure, folderWith, put } from './test/folder.ts';

const hashOf = async (item: TrustItem, root: string): Promise<string> => (await contentOf(item, root)).sha256;
const single: TrustItem = { kind: 'plugin', id: 'hello', path: '.kern/extensions/hello.ts' };
const several: TrustItem = { kind: 'plugin', id: 'big', path: '.kern/extensions/big/index.ts' };

/** Whether the item is another one after the change. */
async function changes(item: TrustItem, root: string, change: () => void): Promise<boolean> {
  const before = await hashOf(item, root);
  change();
  return (await hashOf(item, root)) !== before;
}

test('a plugin of one file is that file and what it imports, through others', async () => {
  const root = folderWith({
    '.kern/extensions/hello.ts': "import { a } from './lib/a'; import z from 'zod';",
    '.kern/extensions/lib/a.ts': "export * from '../../../src/b.js'; import d from './d.json';",
    'src/b.ts': 'export const b = 1;',
    '.kern/extensions/lib/d.json': '{}',
    '.kern/extensions/other.ts': '',
    'node_modules/zod/index.js': '',
  });
  const { files } = await contentOf(single, root);
  expect(files.map((file) => path.relative(root, file)).toSorted()).toEqual([
    '.kern/extensions/hello.ts',
    '.kern/extensions/lib/a.ts',
    '.kern/extensions/lib/d.json',
    'src/b.ts',
  ]);
  for (const name of [
    '.kern/extensions/hello.ts',
    '.kern/extensions/lib/a.ts',
    'src/b.ts',
    '.kern/extensions/lib/d.json',
  ]) {
    expect(await changes(single, root, () => put(root, { [name]: '{ "now": "other" }' }))).toBe(true);
    put(root, {
      '.kern/extensions/hello.ts': "import { a } from './lib/a';",
      '.kern/extensions/lib/a.ts': "export * from '../../../src/b.js'; import d from './d.json';",
    });
  }
  expect(
    await changes(single, root, () =>
      put(root, { '.kern/extensions/other.ts': 'x', 'node_modules/zod/index.js': 'x', 'README.md': 'x' }),
    ),
  ).toBe(false);
});

test('a file that is imported and not there yet is part of what is trusted', async () => {
  const root = folderWith({ '.kern/extensions/hello.ts': "try { await import('./later.js') } catch {}" });
  expect(await changes(single, root, () => put(root, { '.kern/extensions/later.ts': 'evil()' }))).toBe(true);
  expect(await changes(single, root, () => put(root, { '.kern/extensions/later.js': 'evil()' }))).toBe(true);
});

test('a file that would be found before the one that is there is noticed', async () => {
  const root = folderWith({ '.kern/extensions/hello.ts': "import './lib'", '.kern/extensions/lib.js': '' });
  expect(await changes(single, root, () => put(root, { '.kern/extensions/lib.ts': 'evil()' }))).toBe(true);
});

test('an imported folder is its package.json, its main file and its index', async () => {
  const root = folderWith({
    '.kern/extensions/hello.ts': "require('../lib')",
    '.kern/lib/package.json': '{ "main": "in/main" }',
    '.kern/lib/in/main.js': "require('./deep.cjs')",
    '.kern/lib/in/deep.cjs': '',
  });
  for (const name of ['package.json', 'in/main.js', 'index.js'])
    expect(
      await changes(single, root, () => put(root, { [`.kern/lib/${name}`]: '{ "main": "in/main", "x": 1 }' })),
    ).toBe(true);
});

test('names with # lead through the manifest to project files', async () => {
  const root = folderWith({
    'package.json': '{ "imports": { "#lib/*": "./src/*.ts" } }',
    '.kern/extensions/hello.ts': "import '#lib/a'",
    'src/a.ts': '',
  });
  expect(await changes(single, root, () => put(root, { 'src/a.ts': 'evil()' }))).toBe(true);
  expect(
    await changes(single, root, () => put(root, { 'package.json': '{ "imports": { "#lib/*": "./evil/*.ts" } }' })),
  ).toBe(true);
});

test('files that import each other come to an end', async () => {
  const root = folderWith({
    '.kern/extensions/hello.ts': "import './b.ts'",
    '.kern/extensions/b.ts': "import './hello.ts'; import './b.ts'",
  });
  expect((await contentOf(single, root)).files).toHaveLength(2);
});

test('a plugin of several files is its folder without packages, and what that imports', async () => {
  const root = folderWith({
    '.kern/extensions/big/index.ts': "import '../../../src/shared.ts'",
    '.kern/extensions/big/deep/data.bin': 'x',
    '.kern/extensions/big/node_modules/p/index.js': '',
    '.kern/extensions/big/.git/HEAD': '',
    'src/shared.ts': '',
  });
  for (const name of [
    '.kern/extensions/big/index.ts',
    '.kern/extensions/big/deep/data.bin',
    '.kern/extensions/big/new.txt',
  ])
    expect(await changes(several, root, () => put(root, { [name]: "import '../../../src/shared.ts' // new" }))).toBe(
      true,
    );
  expect(await changes(several, root, () => put(root, { 'src/shared.ts': 'evil()' }))).toBe(true);
  expect(
    await changes(several, root, () =>
      put(root, { '.kern/extensions/big/node_modules/p/index.js': 'x', '.kern/extensions/big/.git/HEAD': 'x' }),
    ),
  ).toBe(false);
  expect(await changes(several, root, () => rmSync(path.join(root, '.kern/extensions/big/deep/data.bin')))).toBe(true);
});

test('a file that moves within the folder is a change', async () => {
  const root = folderWith({ '.kern/extensions/big/index.ts': '', '.kern/extensions/big/a.ts': 'same' });
  const folder = path.join(root, '.kern/extensions/big');
  expect(await changes(several, root, () => renameSync(path.join(folder, 'a.ts'), path.join(folder, 'b.ts')))).toBe(
    true,
  );
});

test('code in a package folder that is imported by its path counts', async () => {
  const root = folderWith({
    '.kern/extensions/big/index.ts': "import './node_modules/p/x.js'",
    '.kern/extensions/big/node_modules/p/x.js': '',
  });
  expect(await changes(several, root, () => put(root, { '.kern/extensions/big/node_modules/p/x.js': 'evil()' }))).toBe(
    true,
  );
});

test('an entry below the folder still means the whole folder', async () => {
  const root = folderWith({ '.kern/extensions/big/src/main.ts': '', '.kern/extensions/big/lib.ts': '' });
  const item: TrustItem = { ...several, path: '.kern/extensions/big/src/main.ts' };
  expect(await changes(item, root, () => put(root, { '.kern/extensions/big/lib.ts': 'x' }))).toBe(true);
});

test('a link is what it says and what it leads to', async () => {
  const root = folderWith({ '.kern/extensions/hello.ts': "import './lib.ts'", 'src/lib.ts': '', 'src/lib2.ts': '' });
  const link = path.join(root, '.kern/extensions/lib.ts');
  symlinkSync('../../src/lib.ts', link);
  expect(await changes(single, root, () => put(root, { 'src/lib.ts': 'evil()' }))).toBe(true);
  expect(
    await changes(single, root, () => {
      put(root, { 'src/lib2.ts': 'evil()' });
      rmSync(link);
      symlinkSync('../../src/lib2.ts', link);
    }),
  ).toBe(true);
});

test('a linked folder within the project is read, and one that leads to itself ends', async () => {
  const root = folderWith({ '.kern/extensions/big/index.ts': '', 'src/a.ts': '' });
  symlinkSync('../../../src', path.join(root, '.kern/extensions/big/src'));
  symlinkSync('.', path.join(root, '.kern/extensions/big/self'));
  expect(await changes(several, root, () => put(root, { 'src/a.ts': 'evil()' }))).toBe(true);
});

test('a link to nowhere is part of the content, and so is what comes to its end', async () => {
  const root = folderWith({ '.kern/extensions/big/index.ts': '' });
  symlinkSync('../../../later.ts', path.join(root, '.kern/extensions/big/later.ts'));
  expect(await changes(several, root, () => put(root, { 'later.ts': 'evil()' }))).toBe(true);
});

test('what leads out of the project cannot be trusted', async () => {
  const outside = folderWith({ 'evil.ts': '', 'folder/index.ts': '', 'tool.sh': '' });
  const root = folderWith({
    '.kern/extensions/hello.ts': "import './lib.ts'",
    '.kern/extensions/big/index.ts': '',
    '.kern/extensions/x/index.ts': "import '../gone/a.ts'",
  });
  symlinkSync(path.join(outside, 'evil.ts'), path.join(root, '.kern/extensions/lib.ts'));
  symlinkSync(path.join(outside, 'evil.ts'), path.join(root, '.kern/extensions/big/linked.ts'));
  symlinkSync(path.join(outside, 'folder'), path.join(root, '.kern/extensions/away'));
  symlinkSync(path.join(outside, 'folder'), path.join(root, '.kern/extensions/gone'));
  const items: TrustItem[] = [
    single,
    several,
    { ...several, path: '.kern/extensions/away/index.ts' },
    { ...several, path: '.kern/extensions/x/index.ts' },
    { ...single, path: '.kern/extensions/lib.ts' },
    { ...single, path: path.join(outside, 'evil.ts') },
    { ...single, path: '../evil.ts' },
    { kind: 'hook', id: 'h', definition: {}, files: ['.kern/extensions/lib.ts'] },
    { kind: 'hook', id: 'h', definition: {}, files: ['.kern/extensions/away/index.ts'] },
  ];
  for (const item of items) await expect(contentOf(item, root)).rejects.toBeInstanceOf(Unbound);
});

test('pipes and devices are named and not read', async () => {
  const root = folderWith({ '.kern/extensions/big/index.ts': "import './pipe.ts'" });
  execFileSync('mkfifo', [path.join(root, '.kern/extensions/big/pipe.ts')]);
  expect((await contentOf(several, root)).parts.get('.kern/extensions/big/pipe.ts')).toBe('not a plain file');
});

test('more than a plugin can be is not read to the end', async () => {
  const root = folderWith({ '.kern/extensions/big/index.ts': '' });
  const folder = path.join(root, '.kern/extensions/big/many');
  for (let index = 0; index < 5_100; index++) mkdirSync(path.join(folder, `${index}`), { recursive: true });
  expect(await failure(() => contentOf(several, root))).toMatchObject({
    message: expect.stringContaining('more than 5000 files'),
  });
});

test('other items are their definition and the project files they name', async () => {
  const root = folderWith({
    'scripts/check.sh': 'echo',
    'scripts/run.mjs': "import './lib.mjs'",
    'scripts/lib.mjs': '',
    '.mcp.json': '{}',
  });
  const item = (definition: unknown): TrustItem => ({
    kind: 'mcp',
    id: 'files',
    path: '.mcp.json',
    definition,
    files: ['scripts/check.sh', 'scripts/run.mjs', '/usr/bin/env'],
  });
  const before = await hashOf(item({ command: 'node', args: ['a'] }), root);
  expect(await hashOf(item({ args: ['a'], command: 'node' }), root)).toBe(before);
  expect(await hashOf(item({ command: 'node', args: ['b'] }), root)).not.toBe(before);
  put(root, { '.mcp.json': '{ "another": "server" }' });
  expect(await hashOf(item({ command: 'node', args: ['a'] }), root)).toBe(before);
  put(root, { 'scripts/lib.mjs': 'evil()' });
  expect(await hashOf(item({ command: 'node', args: ['a'] }), root)).not.toBe(before);
});

test('a definition that looks like a part is no part', async () => {
  const root = folderWith({ 'definition.a': '' });
  const one = await contentOf({ kind: 'hook', id: 'x', definition: { a: 1 } }, root);
  const two = await contentOf({ kind: 'hook', id: 'x', definition: { a: 2 }, files: ['definition.a'] }, root);
  expect(one.sha256).not.toBe(two.sha256);
});

test('an item that says only where it stands is that file', async () => {
  const root = folderWith({ 'skill.md': 'a' });
  const item: TrustItem = { kind: 'skill', id: 's', path: 'skill.md' };
  expect(await changes(item, root, () => put(root, { 'skill.md': 'b' }))).toBe(true);
});

test('an item that says nothing, or what has no text, cannot be trusted', async () => {
  const root = folderWith();
  const items: TrustItem[] = [
    { kind: 'hook', id: 'x' },
    { kind: 'plugin', id: 'x' },
    { kind: 'hook', id: 'x', definition: { run: () => 1 } },
  ];
  for (const item of items) await expect(contentOf(item, root)).rejects.toBeInstanceOf(Unbound);
});

test('the kind is part of what is trusted', async () => {
  const root = folderWith();
  expect(await hashOf({ kind: 'hook', id: 'x', definition: 1 }, root)).not.toBe(
    await hashOf({ kind: 'mcp', id: 'x', definition: 1 }, root),
  );
});

test('inside is told by the parts of a path', () => {
  expect(isInside('/a/b', '/a/b/..c/d')).toBe(true);
  expect(isInside('/a/b', '/a/bc')).toBe(false);
  expect(isInside('/a/b', '/a')).toBe(false);
});

test('a script is itself and the scripts that it names, through others; what it reads is not meant', async () => {
  const root = folderWith({
    'hooks/check.sh':
      '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\npython3 "$CLAUDE_PROJECT_DIR"/tools/deep.py <package.json\n./run-it\n',
    'hooks/lib.sh': 'echo ../README.md',
    'tools/deep.py': 'from helper import x\nimport os, pkg.inner as inner\n',
    'tools/helper.py': '',
    'tools/pkg/inner.py': '',
    'run-it': '#!/bin/sh\n',
    'README.md': '',
    'package.json': '{}',
  });
  chmodSync(path.join(root, 'run-it'), 0o755);
  const item: TrustItem = { kind: 'hook', id: 'h', definition: { command: 'x' }, files: ['hooks/check.sh'] };
  for (const name of ['hooks/lib.sh', 'tools/deep.py', 'tools/helper.py', 'tools/pkg/inner.py', 'run-it'])
    expect([name, await changes(item, root, () => appendFileSync(path.join(root, name), '# changed'))]).toEqual([
      name,
      true,
    ]);
  put(root, { 'hooks/check.sh': '#!/bin/sh\ncat README.md package.json; ./later.sh' });
  expect(await changes(item, root, () => put(root, { 'README.md': 'x', 'package.json': '{ }' }))).toBe(false);
  expect(await changes(item, root, () => put(root, { 'hooks/later.sh': 'evil' }))).toBe(true);
});
