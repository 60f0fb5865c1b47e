import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import type { Files } from 'kern/contracts';
import { fakeClock } from 'kern/testing';
import { expect, test } from 'vitest';
import { folderWith } from '../test/folder.ts';
import { systemPort } from './port.ts';
import { createFiles } from './system.ts';
import type { FilePort } from './types.ts';

const { signal } = new AbortController();
const at = (folder: string): Files => createFiles().open({ cwd: folder, root: folder, home: folder }, signal);

const isWindows = process.platform === 'win32';

test('a text is read without its byte order mark; what is not there is no warning', async () => {
  using folder = folderWith({ 'a.md': '\uFEFFhello' });
  const files = at(folder.path);
  expect(await files.text(path.join(folder.path, 'a.md'))).toBe('hello');
  expect(await files.text(path.join(folder.path, 'no', 'b.md'))).toBeUndefined();
  expect(await files.text(path.join(folder.path, 'a.md', 'b.md'))).toBeUndefined();
  expect(files.warnings).toEqual([]);
  expect(files.watch).toEqual(['a.md', 'no/b.md/', 'a.md/b.md/'].map((name) => path.join(folder.path, name)));
});

test.each([
  ['binary', new Uint8Array([104, 0, 105]), 'is no text'],
  ['not UTF-8', new Uint8Array([104, 0xff, 0xfe, 105]), 'is not UTF-8'],
  ['a megabyte and more', new Uint8Array(1024 * 1024 + 1).fill(97), 'at most 1 MB are read'],
])('a file that is %s is a warning and no text', async (_, content, why) => {
  using folder = folderWith({ x: content });
  const files = at(folder.path);
  expect(await files.text(path.join(folder.path, 'x'))).toBeUndefined();
  expect(files.warnings).toEqual([expect.stringContaining(why)]);
});

test('of 100 MB nothing is read', async () => {
  using folder = folderWith({ big: '' });
  const big = path.join(folder.path, 'big');
  truncateSync(big, 100 * 1024 * 1024);
  let read = 0;
  const port: FilePort = {
    ...systemPort,
    bytes: async (file, limit) => {
      read += 1;
      return systemPort.bytes(file, limit);
    },
  };
  const files = createFiles({ port }).open({ cwd: folder.path, root: folder.path, home: folder.path }, signal);
  expect(await files.text(big)).toBeUndefined();
  expect([read, files.warnings.length]).toEqual([0, 1]);
});

test.skipIf(isWindows)('a pipe, a socket and a link to a device are not opened', async () => {
  using folder = folderWith();
  const pipe = path.join(folder.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const socket = path.join(folder.path, 'sock');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const device = path.join(folder.path, 'zero');
  symlinkSync('/dev/zero', device);
  const files = at(folder.path);
  expect(await Promise.all([pipe, socket, device].map((file) => files.text(file)))).toEqual(Array(3).fill(undefined));
  expect(files.warnings).toHaveLength(3);
  for (const warning of files.warnings) expect(warning).toContain('is neither a file nor a folder');
  await new Promise((resolve) => server.close(resolve));
});

test.skipIf(isWindows)('what became a pipe after it was looked at does not hang either', async () => {
  using folder = folderWith({ x: 'text' });
  const file = path.join(folder.path, 'x');
  const port: FilePort = {
    ...systemPort,
    look: async (name) => {
      const facts = await systemPort.look(name);
      unlinkSync(file);
      execFileSync('mkfifo', [file]);
      return facts;
    },
  };
  const files = createFiles({ port }).open({ cwd: folder.path, root: folder.path, home: folder.path }, signal);
  expect((await files.text(file)) ?? '').toBe('');
});

test.skipIf(isWindows)('links that lead round in a circle, and to nowhere', async () => {
  using folder = folderWith();
  const names = ['a', 'b', 'nowhere'].map((name) => path.join(folder.path, name));
  const [a = '', b = '', nowhere = ''] = names;
  symlinkSync(a, b);
  symlinkSync(b, a);
  symlinkSync(path.join(folder.path, 'gone'), nowhere);
  const files = at(folder.path);
  expect(await Promise.all(names.map((file) => files.text(file)))).toEqual([undefined, undefined, undefined]);
  expect(await files.list(folder.path)).toEqual([]);
  expect(files.warnings.toSorted()).toEqual([a, b].map((file) => `${file}: is a link that leads round in a circle`));
});

test('no right to look is a warning, whoever runs the test', async () => {
  const port: FilePort = {
    ...systemPort,
    names: () => Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' })),
  };
  using folder = folderWith({ 'x/y': '' });
  const files = createFiles({ port }).open({ cwd: folder.path, root: folder.path, home: folder.path }, signal);
  expect(await files.list(path.join(folder.path, 'x'))).toEqual([]);
  expect(files.warnings).toEqual([expect.stringContaining('may not be read by you')]);
});

test('a folder is listed by name, with what links lead to', async () => {
  using folder = folderWith({ b: '', 'a/x': '', c: '' });
  if (!isWindows) symlinkSync(path.join(folder.path, 'a'), path.join(folder.path, 'd'));
  const found = (await at(folder.path).list(folder.path)).map(({ name, kind }) => [name, kind]);
  expect(found.slice(0, 3)).toEqual([
    ['a', 'folder'],
    ['b', 'file'],
    ['c', 'file'],
  ]);
  if (!isWindows) expect(found[3]).toEqual(['d', 'folder']);
});

test('a drive that does not answer costs the limit once, and is not watched', async () => {
  const clock = fakeClock();
  const asked: string[] = [];
  const port: FilePort = {
    ...systemPort,
    look: (file) => {
      asked.push(file);
      return file.startsWith('/net') ? new Promise(() => {}) : Promise.resolve(undefined);
    },
  };
  const files = createFiles({ port, clock }).open({ cwd: '/w', root: '/w', home: '/h' }, signal);
  const stalled = files.kind('/net');
  expect(await files.kind('/w/here')).toBeUndefined();
  await clock.advance(1_000);
  expect(await stalled).toBeUndefined();
  expect(await files.text('/net/a/b')).toBeUndefined();
  expect(asked).toEqual(['/net', '/w/here']);
  expect(files.watch).toEqual(['/w/here/']);
  expect(files.warnings).toEqual([
    '/net: does not answer; its drive may be away',
    '/net/a/b: does not answer; its drive may be away',
  ]);
});

test('an unchanged file is read once, and a changed one again', async () => {
  using folder = folderWith({ x: 'one' });
  let read = 0;
  const port: FilePort = {
    ...systemPort,
    // A file that is old enough to be told by its mark.
    look: async (file) => {
      const facts = await systemPort.look(file);
      return facts && { ...facts, isRecent: false };
    },
    bytes: (file, limit) => {
      read += 1;
      return systemPort.bytes(file, limit);
    },
  };
  const all = createFiles({ port });
  const file = path.join(folder.path, 'x');
  const text = (): Promise<string | undefined> =>
    all.open({ cwd: folder.path, root: folder.path, home: folder.path }, signal).text(file);
  expect([await text(), await text(), read]).toEqual(['one', 'one', 1]);
  writeFileSync(file, 'three');
  expect([await text(), read]).toEqual(['three', 2]);
});

test('a file that was written a moment ago is read again: the next write may leave the same mark', async () => {
  using folder = folderWith({ x: 'one' });
  const all = createFiles({
    port: { ...systemPort, look: async () => ({ kind: 'file', size: 3, mark: 'same', isRecent: true }) },
  });
  const file = path.join(folder.path, 'x');
  const text = (): Promise<string | undefined> =>
    all.open({ cwd: folder.path, root: folder.path, home: folder.path }, signal).text(file);
  expect(await text()).toBe('one');
  writeFileSync(file, 'two');
  expect(await text()).toBe('two');
});

test('broken YAML, JSON and TOML are warnings with their lines, and aliases cannot blow up', async () => {
  using folder = folderWith({
    'a.yml': 'a: 1\nb: [',
    'b.json': '{"a": 1,\n"b" }',
    'c.toml': 'a = 1\nb =',
    'd.yml': `a: &a [x, x, x, x, x, x, x, x, x]\n${Array.from(
      { length: 9 },
      (_, n) =>
        `${String.fromCharCode(98 + n)}: &${String.fromCharCode(98 + n)} [${Array(9)
          .fill(`*${String.fromCharCode(97 + n)}`)
          .join(', ')}]`,
    ).join('\n')}`,
  });
  const files = at(folder.path);
  const name = (file: string): string => path.join(folder.path, file);
  expect([
    await files.yaml(name('a.yml')),
    await files.json(name('b.json')),
    await files.toml(name('c.toml')),
    await files.yaml(name('d.yml')),
  ]).toEqual([undefined, undefined, undefined, undefined]);
  expect(files.warnings.slice(0, 3)).toEqual([
    expect.stringMatching(/a\.yml: line \d: /),
    expect.stringMatching(/b\.json: line 2: /),
    expect.stringMatching(/c\.toml: line 2: /),
  ]);
  expect(files.warnings).toHaveLength(4);
});

test('nothing is read any more when nobody wants the answer', async () => {
  using folder = folderWith({ x: 'one' });
  const controller = new AbortController();
  const files = createFiles().open({ cwd: folder.path, root: folder.path, home: folder.path }, controller.signal);
  controller.abort();
  expect(await files.text(path.join(folder.path, 'x'))).toBeUndefined();
});

test('a name that would move the cursor is shown, not obeyed', async () => {
  using folder = folderWith();
  mkdirSync(path.join(folder.path, 'x'));
  const files = at(folder.path);
  files.warn(`${folder.path}/\u001b[2Jx`, 'is odd');
  expect(files.warnings[0]).not.toContain('\u001b');
});
