import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { counts } from '../cli/test/soak.ts';
import { lockFile } from './file-lock.ts';
import { createFileStore } from './file-store.ts';
import { testFolder } from './test/context.ts';

const source = new URL('./file-store.ts', import.meta.url).href;

/** A program of its own that adds one to a number in a file, as often as it is told. */
const adds = (path: string, cache: string, times: number): readonly string[] => [
  '--input-type=module',
  '-e',
  `import { readFileSync } from 'node:fs';
   const { createFileStore } = await import(${JSON.stringify(source)});
   const files = createFileStore({ cache: () => ${JSON.stringify(cache)}, lockLimitMs: 60_000 });
   const path = ${JSON.stringify(path)};
   for (let at = 0; at < ${times}; at += 1)
     await files.inOrder(path, () => files.replace(path, Buffer.from(String(Number(readFileSync(path, 'utf8')) + 1))));`,
];

test('several processes that change one file lose nothing, and leave no locks', async () => {
  const dir = testFolder();
  const path = join(dir, 'count');
  writeFileSync(path, '0');
  const times = counts({ test: 20, soak: 300 });
  const run = promisify(execFile);
  await Promise.all(Array.from({ length: 3 }, () => run(process.execPath, adds(path, join(dir, 'cache'), times))));
  expect(readFileSync(path, 'utf8')).toBe(String(3 * times));
  expect(readdirSync(join(dir, 'cache/locks'))).toEqual([]);
});

test('the lock of a process that was killed in the middle of a change is taken over', async () => {
  const dir = testFolder();
  const cache = join(dir, 'cache');
  const holder = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { createFileStore } = await import(${JSON.stringify(source)});
       await createFileStore({ cache: () => ${JSON.stringify(cache)} })
         .inOrder(${JSON.stringify(join(dir, 'a'))}, () => { console.log('held'); return new Promise(() => setInterval(() => {}, 1000)); });`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void holder.kill('SIGKILL'));
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  const files = createFileStore({ cache: () => cache, lockLimitMs: 60 });
  await expect(files.inOrder(join(dir, 'a'), async () => 'mine')).rejects.toMatchObject({
    code: 'file_busy',
    message: expect.stringContaining(`process ${holder.pid}`),
  });
  const ended = new Promise((resolve) => holder.once('exit', resolve));
  holder.kill('SIGKILL');
  await ended;
  expect(await files.inOrder(join(dir, 'a'), async () => 'mine')).toBe('mine');
  expect(readdirSync(join(cache, 'locks'))).toEqual([]);
});

/** Writes the lock of somebody else, by making one and changing it. */
async function otherLock(folder: string, change: (holder: Record<string, unknown>) => unknown): Promise<string> {
  const release = await lockFile({ path: 'a', key: 'a', folder, limitMs: 0 });
  const name = join(folder, readdirSync(folder)[0] ?? '');
  const holder = JSON.parse(readFileSync(name, 'utf8')) as Record<string, unknown>;
  await release();
  const changed = change(holder);
  writeFileSync(name, typeof changed === 'string' ? changed : JSON.stringify(changed));
  return name;
}

const take = (folder: string, limitMs: number) => lockFile({ path: 'a', key: 'a', folder, limitMs });

test('a process that got the id of a dead one is not taken for it', async () => {
  const folder = testFolder();
  if (process.platform === 'linux') {
    await otherLock(folder, (holder) => ({ ...holder, token: 'theirs', start: '1' }));
    await (await take(folder, 5_000))();
  }
  const dead = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
  await otherLock(folder, (holder) => ({ ...holder, token: 'theirs', pid: dead }));
  await (await take(folder, 5_000))();
  expect(readdirSync(folder)).toEqual([]);
});

test('many that find a lock left behind go in one by one', async () => {
  const folder = testFolder();
  await otherLock(folder, (holder) => ({ ...holder, token: 'theirs', pid: 2 ** 22 + 1 }));
  let inside = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const release = await take(folder, 20_000);
      inside += 1;
      expect(inside).toBe(1);
      await sleep(2);
      inside -= 1;
      await release();
    }),
  );
});

test('of a lock of another machine, or one that says nothing, only the age counts', async () => {
  const folder = testFolder();
  for (const content of ['', JSON.stringify({ pid: 1, start: '', host: `not-${hostname()}`, token: 't', path: 'a' })]) {
    const name = await otherLock(folder, () => content);
    await expect(take(folder, 30)).rejects.toMatchObject({ code: 'file_busy' });
    const longAgo = Date.now() / 1000 - 3600;
    utimesSync(name, longAgo, longAgo);
    await (await take(folder, 5_000))();
  }
});

test('who waits for another process can be given up', async () => {
  const folder = testFolder();
  const release = await take(folder, 0);
  const giveUp = new AbortController();
  const waiting = lockFile({ path: 'a', key: 'a', folder, limitMs: 60_000, signal: giveUp.signal });
  giveUp.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await release();
});

test('where no lock can be made, files are changed all the same', async () => {
  const dir = testFolder();
  writeFileSync(join(dir, 'cache'), 'a file');
  const files = createFileStore({ cache: () => join(dir, 'cache') });
  await files.inOrder(join(dir, 'a'), () => files.replace(join(dir, 'a'), Buffer.from('x')));
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('x');
  mkdirSync(join(dir, 'b'));
  expect(existsSync(join(dir, 'cache'))).toBe(true);
});
