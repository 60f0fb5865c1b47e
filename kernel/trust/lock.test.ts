import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withLock } from './lock.ts';
import { failure, folderWith } from './test/folder.ts';

const lockIn = (): string => path.join(folderWith(), 'lock');
const held = (pid: number, host = hostname()): string => JSON.stringify({ pid, host, token: 'theirs' });

/** The id of a process that has ended. */
function deadPid(): number {
  return Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
}

test('work under one lock never overlaps', async () => {
  const lock = lockIn();
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 10 }, () =>
      withLock(lock, async () => {
        most = Math.max(most, ++inside);
        await sleep(2);
        inside--;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(existsSync(lock)).toBe(false);
});

test('a failure lets go of the lock', async () => {
  const lock = lockIn();
  await expect(withLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withLock(lock, async () => 'free')).toBe('free');
});

test('the lock of a process that is gone is broken, by one of many', async () => {
  const lock = lockIn();
  writeFileSync(lock, held(deadPid()));
  let inside = 0;
  await Promise.all(
    Array.from({ length: 5 }, () =>
      withLock(lock, async () => {
        expect(++inside).toBe(1);
        await sleep(5);
        inside--;
      }),
    ),
  );
});

test('the lock of a living process is waited for, and then said to be held', async () => {
  const lock = lockIn();
  writeFileSync(lock, held(process.pid));
  expect(await failure(() => withLock(lock, async () => undefined, 100))).toMatchObject({
    code: 'lock_busy',
    message: expect.stringContaining(lock),
  });
  expect(readFileSync(lock, 'utf8')).toBe(held(process.pid));
});

test('the id of a process on another machine says nothing, its age does', async () => {
  const lock = lockIn();
  writeFileSync(lock, held(deadPid(), 'another-machine'));
  expect(await failure(() => withLock(lock, async () => undefined, 50))).toMatchObject({ code: 'lock_busy' });
  const long = Date.now() / 1000 - 3600;
  utimesSync(lock, long, long);
  expect(await withLock(lock, async () => 'mine', 5_000)).toBe('mine');
});

test('a lock that another has taken over is not removed at the end', async () => {
  const lock = lockIn();
  await withLock(lock, async () => writeFileSync(lock, held(process.pid)));
  expect(readFileSync(lock, 'utf8')).toBe(held(process.pid));
});
