import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type HeldLocks, ownerOfLock, releaseAll, type Taken, takeLock } from './lock.ts';
import { lifeOf, self } from './owner.ts';
import { tempFolder } from './test/stores.ts';

const lockIn = (dir: string): string => join(dir, 's.jsonl.lock');

/** What a process would have written that has ended since: the number is ours, its beginning is not. */
function leftBehind(path: string, rest: object = {}): void {
  writeFileSync(path, JSON.stringify({ ...self(), start: '1', token: '0a'.repeat(8), ...rest }));
}

const held = (taken: Taken): NonNullable<Taken['lock']> => {
  if (taken.lock === undefined) throw new Error('it is taken');
  return taken.lock;
};

test('a lock says whose it is, is had by one, and is gone when it is released', () => {
  const dir = tempFolder();
  const path = lockIn(dir);
  const lock = held(takeLock(path, new Map()));
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() });
  expect(takeLock(path, new Map())).toMatchObject({ lock: undefined, owner: { pid: process.pid, host: hostname() } });
  expect(ownerOfLock(path)).toMatchObject({ pid: process.pid });
  expect(lock.state()).toBe('held');
  lock.release();
  expect([lock.state(), readdirSync(dir), ownerOfLock(path)]).toEqual(['gone', [], undefined]);
});

test('the lock of an owner that has ended is taken over, and nothing is left of the old one', () => {
  const dir = tempFolder();
  leftBehind(lockIn(dir), { since: 'then' });
  const taken = takeLock(lockIn(dir), new Map());
  expect(taken).toMatchObject({ from: { pid: process.pid, since: 'then' } });
  expect(held(taken).state()).toBe('held');
  expect(readdirSync(dir)).toEqual(['s.jsonl.lock']);
});

test('who lost a lock knows it, and takes nothing away from who has it', () => {
  const dir = tempFolder();
  const path = lockIn(dir);
  const first = held(takeLock(path, new Map()));
  leftBehind(path);
  const second = held(takeLock(path, new Map()));
  expect([first.state(), second.state()]).toEqual(['lost', 'held']);
  first.release();
  expect(second.state()).toBe('held');
});

test('a lock in which nothing can be read is its writers for a moment, and then nobodys', () => {
  const path = lockIn(tempFolder());
  writeFileSync(path, '');
  expect(takeLock(path, new Map()).lock).toBeUndefined();
  const before = new Date(Date.now() - 60_000);
  utimesSync(path, before, before);
  expect(held(takeLock(path, new Map())).state()).toBe('held');
});

test('a lock whose token would lead elsewhere is one in which nothing can be read', () => {
  const dir = tempFolder();
  mkdirSync(join(dir, 'x'));
  leftBehind(lockIn(dir), { token: '/../../x/evil' });
  const before = new Date(Date.now() - 60_000);
  utimesSync(lockIn(dir), before, before);
  expect(held(takeLock(lockIn(dir), new Map())).state()).toBe('held');
  expect(readdirSync(join(dir, 'x'))).toEqual([]);
});

test('a taker that was killed while it took over stands in nobodys way', () => {
  const dir = tempFolder();
  leftBehind(lockIn(dir));
  // Its right to replace that lock, as it was left behind.
  leftBehind(`${lockIn(dir)}.${'0a'.repeat(8)}`, { token: '0b'.repeat(8) });
  expect(held(takeLock(lockIn(dir), new Map())).state()).toBe('held');
  expect(readdirSync(dir)).toEqual(['s.jsonl.lock']);
});

test('the last chance takes away what this process has, and nothing else', () => {
  const dir = tempFolder();
  const locks: HeldLocks = new Map();
  held(takeLock(join(dir, 'a.lock'), locks));
  const lost = held(takeLock(join(dir, 'b.lock'), locks));
  leftBehind(join(dir, 'b.lock'));
  held(takeLock(join(dir, 'b.lock'), new Map()));
  expect(lost.state()).toBe('lost');
  releaseAll(locks);
  expect([existsSync(join(dir, 'a.lock')), existsSync(join(dir, 'b.lock')), locks.size]).toEqual([false, true, 0]);
});

test('an owner on another machine, or in another container, is believed for a day after its last word', () => {
  const me = self();
  const now = Date.now();
  const hour = 3_600_000;
  for (const elsewhere of [
    { ...me, host: 'elsewhere', pid: 999_999_999 },
    { ...me, space: 'pid:[1]', pid: 999_999_999 },
  ]) {
    expect(lifeOf(elsewhere, me, now - hour, now)).toBe('alive');
    expect(lifeOf(elsewhere, me, now - 25 * hour, now)).toBe('gone');
  }
});

test('a process is told from another that was given its number', () => {
  const me = self();
  expect(lifeOf(me, me, 0)).toBe('alive');
  expect(lifeOf({ ...me, pid: 999_999_999 }, me, Date.now())).toBe('gone');
  expect(lifeOf({ ...me, start: '1' }, me, Date.now())).toBe(me.start === undefined ? 'alive' : 'gone');
});
