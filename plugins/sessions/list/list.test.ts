import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionStorage, SessionSummary } from 'kern/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { answered, entry, fixture, header, lines, result, said } from '../read/test/bytes.ts';
import { listSessions } from './list.ts';

/** Real files, and what was read of them. */
function room() {
  const folder = mkdtempSync(join(tmpdir(), 'kern-list-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const indexFile = join(folder, 'cache', 'sessions.json');
  const read: string[] = [];
  let bytesRead = 0;
  const storage: Pick<SessionStorage, 'list' | 'readSync'> = {
    async list(inside) {
      if (!existsSync(inside)) return [];
      return readdirSync(inside).flatMap((file) => {
        const path = join(inside, file);
        const { size, mtimeMs } = statSync(path);
        return file.endsWith('.jsonl') ? [{ path, size, modifiedMs: mtimeMs }] : [];
      });
    },
    readSync(path, at, length) {
      read.push(path.slice(folder.length + 1));
      const bytes = readFileSync(path).subarray(at, at + length);
      bytesRead += bytes.length;
      return bytes;
    },
  };
  const write = (file: string, text: string): string => {
    const path = join(folder, file);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const list = (folders: readonly string[] = ['a'], cwd?: string): Promise<readonly SessionSummary[]> => {
    read.length = 0;
    bytesRead = 0;
    return listSessions({ storage, folders: folders.map((name) => join(folder, name)), indexFile, cwd });
  };
  return { write, list, read, bytes: () => bytesRead, indexFile };
}

const session = (id: string, cwd = '/repo', more: readonly object[] = []): string =>
  lines(
    { ...header, id, cwd },
    entry('s', null, 'message', { message: { role: 'system', content: 'you are', timestamp: 1 } }),
    entry('a', 's', 'message', said('  first\nwords ')),
    entry('b', 'a', 'message', answered('', ['c'])),
    entry('c', 'b', 'message', result('c')),
    entry('d', 'c', 'message', answered('done')),
    ...more,
  );

test('a session is told by what it is, and messages are those of people and models', async () => {
  const { write, list } = room();
  const text = session('one', '/repo', [
    entry('n', 'd', 'session_info', { name: 'old' }),
    { ...entry('e', 'd', 'session_info', { name: 'new' }), timestamp: '2026-12-01T00:00:00.000Z' },
  ]);
  const file = write('a/x.jsonl', text.replace('"cwd":"/repo"', '"cwd":"/repo","parentSession":"/before.jsonl"'));
  expect(await list()).toEqual([
    {
      id: 'one',
      file,
      name: 'new',
      cwd: '/repo',
      created: header.timestamp,
      modified: '2026-12-01T00:00:00.000Z',
      messages: 3,
      firstMessage: 'first\nwords',
      parentSession: '/before.jsonl',
      size: statSync(file).size,
    },
  ]);
});

test('sessions of pi and oh-my-pi are listed beside those of kern, newest first, and other files are not', async () => {
  const { write, list } = room();
  write('a/pi.jsonl', fixture('pi-1.6.0.jsonl'));
  write('a/omp.jsonl', fixture('oh-my-pi-18.jsonl').replace('"title": ""', '"title": "T"'));
  write('a/none.jsonl', lines({ hello: 1 }));
  write('a/empty.jsonl', '');
  write('a/readme.md', 'x');
  write('a/kern.jsonl', session('k').replaceAll('2026-11-30', '2026-11-29'));
  const found = await list(['a', 'missing']);
  expect(found.map(({ id, messages, name }) => [id.slice(0, 8), messages, name])).toEqual([
    ['01a22cca', 3, undefined],
    ['01a22cc6', 2, 'T'],
    ['k', 3, undefined],
  ]);
});

test('a file that has not changed is not read again, and of one that has grown only what is new', async () => {
  const { write, list, read, bytes } = room();
  const file = write('a/x.jsonl', session('one'));
  write('a/none.jsonl', 'nothing\n');
  const before = await list();
  expect(await list()).toEqual(before);
  expect(read).toEqual([]);
  const more = lines(entry('e', 'd', 'message', said('more')), entry('f', 'e', 'session_info', { name: 'named' }));
  appendFileSync(file, more);
  expect(await list()).toMatchObject([{ messages: 4, name: 'named', firstMessage: 'first\nwords' }]);
  expect(bytes()).toBeLessThan(3 * more.length + 200);
});

test('a file that was written anew is read from its beginning', async () => {
  const { write, list } = room();
  write('a/x.jsonl', session('one'));
  await list();
  write(
    'a/x.jsonl',
    session('two', '/other', [entry('x', 'd', 'message', said('x')), entry('y', 'x', 'message', said('y'))]),
  );
  expect(await list()).toMatchObject([{ id: 'two', cwd: '/other', messages: 5 }]);
  write('a/x.jsonl', session('short').slice(0, 200));
  expect(await list()).toMatchObject([{ id: 'short', messages: 0 }]);
});

test('a last line without its newline counts once, also when the newline comes', async () => {
  const { write, list } = room();
  const file = write('a/x.jsonl', session('one').trimEnd());
  expect(await list()).toMatchObject([{ messages: 3 }]);
  appendFileSync(file, '\n');
  expect(await list()).toMatchObject([{ messages: 3 }]);
  appendFileSync(file, JSON.stringify(entry('e', 'd', 'message', said('torn'))).slice(0, -5));
  expect(await list()).toMatchObject([{ messages: 3 }]);
});

test('an index that is missing, broken or of another version is made from the files', async () => {
  const { write, list, read, indexFile } = room();
  write('a/x.jsonl', session('one'));
  const expected = await list();
  for (const broken of [
    '',
    'nonsense',
    '{"version":0,"files":{}}',
    '{"version":1,"files":{"/x":7}}',
    'null',
    '{"version":1}',
  ]) {
    writeFileSync(indexFile, broken);
    expect(await list()).toEqual(expected);
    expect(read.length).toBeGreaterThan(0);
    await list();
    expect(read).toEqual([]);
  }
  rmSync(indexFile);
  expect(await list()).toEqual(expected);
  expect(statSync(indexFile).mode & 0o777).toBe(0o600);
});

test('what is deleted is forgotten, and other folders are remembered', async () => {
  const { write, list, read, indexFile } = room();
  const file = write('a/x.jsonl', session('one'));
  write('b/y.jsonl', session('two'));
  await list(['a', 'b']);
  rmSync(file);
  expect(await list(['a'])).toEqual([]);
  expect(Object.keys(JSON.parse(readFileSync(indexFile, 'utf8')).files)).toEqual([expect.stringContaining('y.jsonl')]);
  expect(await list(['b'])).toHaveLength(1);
  expect(read).toEqual([]);
});

test('two lists at once are both right, and leave a whole index', async () => {
  const { write, list, indexFile } = room();
  for (let nth = 0; nth < 30; nth += 1) write(`a/${nth}.jsonl`, session(`s${nth}`));
  const both = await Promise.all([list(), list(), list()]);
  for (const found of both) expect(found).toHaveLength(30);
  expect(Object.keys(JSON.parse(readFileSync(indexFile, 'utf8')).files)).toHaveLength(30);
  expect(readdirSync(join(indexFile, '..'))).toEqual(['sessions.json']);
});

test('only sessions of a working directory are listed where one is named', async () => {
  const { write, list } = room();
  write('a/x.jsonl', session('one', '/one'));
  write('a/y.jsonl', session('two', '/two'));
  expect((await list(['a'], '/two')).map(({ id }) => id)).toEqual(['two']);
});

test('a list that cannot keep its index is a list all the same, and an aborted one ends', async () => {
  const { write } = room();
  const file = write('a/x.jsonl', session('one'));
  const storage = {
    list: async () => [{ path: file, size: statSync(file).size, modifiedMs: 1 }],
    readSync: () => readFileSync(file),
  };
  const nowhere = join(file, 'no', 'folder.json');
  expect(await listSessions({ storage, folders: ['a'], indexFile: nowhere })).toHaveLength(1);
  const aborted = AbortSignal.abort(new Error('enough'));
  await expect(listSessions({ storage, folders: ['a'], indexFile: undefined, signal: aborted })).rejects.toThrow(
    'enough',
  );
  utimesSync(file, 1, 1);
});
