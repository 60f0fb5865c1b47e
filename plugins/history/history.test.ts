import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { FileHistory } from './history.ts';

function homeFolder(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'kern-history-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
  return home;
}

function openIn(home: string, settings = { enabled: true, maxEntries: 10_000 }) {
  const warnings: string[] = [];
  let now = Date.parse('2026-11-30T12:00:00Z');
  const history = new FileHistory({
    home,
    settings: () => settings,
    now: () => {
      now += 1_000;
      return now;
    },
    warn: (message) => warnings.push(message),
  });
  onTestFinished(() => history.close());
  const texts = async (limit = 100, cwd?: string): Promise<readonly string[]> =>
    (await history.getRecent(limit, { cwd })).map(({ prompt }) => prompt);
  const found = async (query: string, limit = 100): Promise<readonly string[]> =>
    (await history.search(query, limit)).map(({ prompt }) => prompt);
  return { history, warnings, texts, found, file: path.join(home, 'history.db') };
}

test('prompts come back newest first, with place and time, also of one folder alone', async () => {
  const { history, texts, file } = openIn(homeFolder());
  history.add('first', '/a');
  history.add('second', '/b');
  history.add('third');
  expect(await texts()).toEqual(['third', 'second', 'first']);
  expect(await texts(1)).toEqual(['third']);
  expect(await texts(9, '/a')).toEqual(['first']);
  expect((await history.getRecent(1, { cwd: '/b' }))[0]).toEqual({
    id: 2,
    prompt: 'second',
    cwd: '/b',
    createdAt: '2026-11-30T12:00:02.000Z',
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('what repeats the last prompt of its folder, says nothing or is huge is not kept', async () => {
  const { history, texts } = openIn(homeFolder());
  for (const prompt of ['same', 'same', ' ', '', 'x'.repeat(100_001)]) history.add(prompt, '/a');
  history.add('same', '/b');
  await history.flush();
  history.add('same', '/a');
  history.add('other', '/a');
  history.add('same', '/a');
  expect(await texts()).toEqual(['same', 'other', 'same', 'same']);
});

test('words, their beginnings, and parts of words are found, whatever the case and the accents', async () => {
  const { history, found } = openIn(homeFolder());
  for (const prompt of ['Fix the migration of users', 'fix it', 'Überprüfe die Tests', '重构用户模块', 'C++ & a-b_c'])
    history.add(prompt);
  expect(await found('fix')).toEqual(['fix it', 'Fix the migration of users']);
  expect(await found('users mig')).toEqual(['Fix the migration of users']);
  expect(await found('gratio')).toEqual(['Fix the migration of users']);
  expect(await found('uberpruf')).toEqual(['Überprüfe die Tests']);
  expect(await found('用户')).toEqual(['重构用户模块']);
  expect(await found('C++')).toEqual(['C++ & a-b_c']);
  expect(await found('')).toHaveLength(5);
  expect(await found('fix', 1)).toEqual(['fix it']);
});

test('no text is a query that fails', async () => {
  const { history, found } = openIn(homeFolder());
  history.add('AND OR NOT NEAR("x" y) "quoted" * ^ : - ( ) {a b}');
  const signs = [
    '"',
    "'",
    '*',
    '(',
    ')',
    'a AND',
    'NOT',
    'NEAR(',
    'x:y',
    '^a',
    '-',
    '--',
    '{',
    '\0',
    '%',
    '_',
    '\ud800',
  ];
  for (const sign of signs) expect(Array.isArray(await found(sign)), sign).toBe(true);
  expect(await found('"quoted')).toHaveLength(1);
  expect(await found('NEAR("x" y)')).toHaveLength(1);
  expect(await found('word '.repeat(20_000))).toEqual([]);
});

test('the oldest are forgotten', async () => {
  const { history, texts, found } = openIn(homeFolder(), { enabled: true, maxEntries: 3 });
  for (const prompt of ['one', 'two', 'three', 'four', 'five']) history.add(prompt);
  expect(await texts()).toEqual(['five', 'four', 'three']);
  expect(await found('one')).toEqual([]);
});

test('switched off, nothing is kept and no file made', async () => {
  const { history, file } = openIn(homeFolder(), { enabled: false, maxEntries: 3 });
  history.add('one');
  await history.close();
  expect(existsSync(file)).toBe(false);
});

test('forgetting leaves nothing behind', async () => {
  const home = homeFolder();
  const { history, texts, found } = openIn(home);
  history.add('a very private word: xyzzyplugh');
  await history.clear();
  expect([await texts(), await found('private')]).toEqual([[], []]);
  for (const name of readdirSync(home))
    expect(readFileSync(path.join(home, name)).includes('xyzzyplugh'), name).toBe(false);
  history.add('again');
  expect(await texts()).toEqual(['again']);
});

/** A database with some prompts, closed. */
async function filled(home: string): Promise<string> {
  const { history, file } = openIn(home);
  for (let at = 0; at < 500; at++) history.add(`prompt ${at} ${'lorem ipsum '.repeat(10)}`);
  await history.close();
  return file;
}

test.for([
  ['a text file', async (home: string) => writeFileSync(path.join(home, 'history.db'), 'hello\n'.repeat(1_000))],
  ['a short text file', async (home: string) => writeFileSync(path.join(home, 'history.db'), 'hello')],
  ['a truncated one', async (home: string) => truncateSync(await filled(home), 20_000)],
  ['one that is cut within its first page', async (home: string) => truncateSync(await filled(home), 1_000)],
  [
    'one with pages of noise',
    async (home: string) => {
      const file = await filled(home);
      const bytes = readFileSync(file);
      bytes.fill(0xa5, 4_096);
      writeFileSync(file, bytes);
    },
  ],
  [
    'a newer schema',
    async (home: string) => {
      const db = new DatabaseSync(await filled(home));
      db.exec('PRAGMA user_version = 9');
      db.close();
    },
  ],
  [
    'a database of others',
    async (home: string) => {
      const db = new DatabaseSync(path.join(home, 'history.db'));
      db.exec('CREATE TABLE songs (name TEXT); PRAGMA user_version = 1');
      db.close();
    },
  ],
] as const)('%s is put away, and the history begins anew', async ([, spoil]) => {
  const home = homeFolder();
  await spoil(home);
  const { history, texts, warnings } = openIn(home);
  history.add('new');
  expect(await texts()).toEqual(['new']);
  const aside = readdirSync(home).filter((name) => /^history\.db\.corrupt-[\d\-T]+Z$/.test(name));
  expect(aside).toHaveLength(1);
  expect(warnings).toEqual([expect.stringContaining(path.join(home, aside[0] ?? ''))]);
});

test('a file that is taken away while it is open costs no prompt that comes after', async () => {
  const home = homeFolder();
  const file = await filled(home);
  const { history, texts, warnings } = openIn(home);
  expect(await texts(1)).toHaveLength(1);
  rmSync(file);
  history.add('after it was gone');
  expect(await texts()).toEqual(['after it was gone']);
  expect(warnings).toEqual([]);
});

test('where nothing can be written there is no history, which is said once', async () => {
  const home = path.join(homeFolder(), 'file');
  writeFileSync(home, '');
  const { history, texts, warnings } = openIn(home);
  history.add('one');
  expect(await texts()).toEqual([]);
  history.add('two');
  await history.close();
  expect(warnings).toEqual([expect.stringMatching(/^prompts are not remembered: .*history\.db cannot be written/)]);
});

test('processes that add at once lose nothing, and one that is spoilt is put away once', async () => {
  const home = homeFolder();
  writeFileSync(path.join(home, 'history.db'), 'no database\n'.repeat(100));
  const writer = `
    import { FileHistory } from ${JSON.stringify(new URL('./history.ts', import.meta.url).href)};
    const history = new FileHistory({
      home: ${JSON.stringify(home)},
      settings: () => ({ enabled: true, maxEntries: 1000 }),
      now: Date.now,
      warn: (message) => console.log(message),
    });
    for (let at = 0; at < 25; at++) {
      history.add(process.argv[1] + ' ' + at);
      await history.flush();
    }
    await history.close();
  `;
  const run = promisify(execFile);
  const node = ['--conditions=kern-source', '--input-type=module', '-e', writer];
  const said = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => run(process.execPath, [...node, name], { timeout: 60_000 })),
  );
  const { texts } = openIn(home);
  expect(new Set(await texts(1_000)).size).toBe(100);
  expect(readdirSync(home).filter((name) => /corrupt-[^/]*Z$/.test(name))).toHaveLength(1);
  expect(said.flatMap(({ stdout }) => stdout.split('\n').filter((line) => line !== ''))).toHaveLength(1);
}, 90_000);
