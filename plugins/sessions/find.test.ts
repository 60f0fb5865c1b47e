import { appendFileSync, copyFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Sessions } from 'kern/contracts';
import { expect, test } from 'vitest';
import { plainService } from './test/plain-service.ts';
import { bootSessions, cwd, tempFolder, user } from './test/stores.ts';

/** A closed session in a folder, and its id. */
async function made(
  { sessions }: { readonly sessions: Pick<Sessions, 'create'> },
  where: { readonly cwd?: string; readonly dir?: string } = {},
): Promise<{ readonly id: string; readonly file: string }> {
  const store = await sessions.create({ cwd, persist: true, ...where });
  await store.append(user('hello'));
  await store.close();
  return { id: store.header.id, file: store.file ?? '' };
}

const changed = (file: string, secondsAgo: number): void => {
  const when = new Date(Date.now() - secondsAgo * 1_000);
  utimesSync(file, when, when);
};

test('a session is found by path, by id, and by the beginning of an id, in all folders', async () => {
  const t = await bootSessions();
  const here = await made(t);
  const there = await made(t, { cwd: '/elsewhere' });
  for (const { id, file } of [here, there]) {
    expect(await t.sessions.find(id, { cwd })).toBe(file);
    expect(await t.sessions.find(id.toUpperCase(), { cwd })).toBe(file);
    expect(await t.sessions.find(id.slice(0, -1), { cwd })).toBe(file);
    expect(await t.sessions.find(file, { cwd })).toBe(file);
    expect(await t.sessions.find(file.slice(dirname(file).length + 1), { cwd: dirname(file) })).toBe(file);
  }
  await expect(t.sessions.find('zzz', { cwd })).rejects.toMatchObject({ code: 'session_not_found' });
  await expect(t.sessions.find('../x.jsonl', { cwd })).rejects.toMatchObject({ code: 'session_not_found' });
  const gone = join(dirname(here.file), 'my.jsonl');
  renameSync(here.file, gone);
  expect(await t.sessions.find(here.id, { cwd: '/elsewhere' })).toBe(gone);
});

test('the beginning of several ids names them all, and those of this folder come first', async () => {
  const t = await bootSessions();
  const [first, second] = [await made(t), await made(t)];
  const far = await made(t, { cwd: '/elsewhere' });
  const start = first.id.slice(0, 6);
  const told = await t.sessions.find(start, { cwd }).catch((error: unknown) => error);
  expect(told).toMatchObject({ code: 'session_ambiguous', message: expect.stringContaining(first.file) });
  expect(told).toMatchObject({ message: expect.stringContaining(second.file) });
  expect(told).toMatchObject({ message: expect.not.stringContaining(far.file) });
  expect(await t.sessions.find(start, { cwd: '/elsewhere' })).toBe(far.file);
});

test('of one id in two folders that of this folder is meant; from elsewhere both are named', async () => {
  const t = await bootSessions();
  const [here, far] = [await made(t), await made(t, { cwd: '/elsewhere' })];
  const copy = join(dirname(far.file), basename(here.file));
  copyFileSync(here.file, copy);
  expect(await t.sessions.find(here.id, { cwd })).toBe(here.file);
  expect(await t.sessions.find(here.id, { cwd: '/elsewhere' })).toBe(copy);
  const told = await t.sessions.find(here.id, { cwd: '/third' }).catch((error: unknown) => error);
  expect(told).toMatchObject({ code: 'session_ambiguous', message: expect.stringContaining(here.file) });
  expect(told).toMatchObject({ message: expect.stringContaining(copy) });
});

test('the latest session is that of this folder alone, also where two folders have one name', async () => {
  const t = await bootSessions();
  expect(await t.sessions.latest({ cwd: '/a/b' })).toBeUndefined();
  const old = await made(t, { cwd: '/a/b' });
  const young = await made(t, { cwd: '/a/b' });
  changed(old.file, 100);
  changed(young.file, 50);
  const other = await made(t, { cwd: '/a-b' });
  expect(dirname(other.file)).toBe(dirname(old.file));
  writeFileSync(join(dirname(old.file), 'empty.jsonl'), '');
  expect(await t.sessions.latest({ cwd: '/a/b' })).toBe(young.file);
  expect(await t.sessions.latest({ cwd: '/a-b' })).toBe(other.file);
  expect(await t.sessions.latest({ cwd: '/a' })).toBeUndefined();
});

test('a folder that is named, by the call or the settings, holds the sessions of all working directories', async () => {
  const dir = join(tempFolder(), 'mine');
  const named = await bootSessions();
  const set = await bootSessions({ settings: { dir } });
  const one = await made(named, { dir });
  const two = await made(set, { cwd: '/elsewhere' });
  expect([dirname(one.file), dirname(two.file)]).toEqual([dir, dir]);
  expect(await named.sessions.find(one.id, { cwd, dir })).toBe(one.file);
  expect(await named.sessions.find(two.id, { cwd, dir })).toBe(two.file);
  await expect(named.sessions.find(one.id, { cwd })).rejects.toMatchObject({ code: 'session_not_found' });
  expect(await set.sessions.latest({ cwd })).toBe(one.file);
  expect(await set.sessions.latest({ cwd: '/elsewhere' })).toBe(two.file);
});

test('each terminal goes on with its own session', async () => {
  let id = '';
  const files = plainService(tempFolder(), { terminal: () => ({ id, leader: undefined }) });
  const t = { sessions: files };
  id = '1';
  const first = await made(t);
  id = '2';
  const second = await made(t);
  changed(first.file, 100);
  id = '1';
  expect(await files.latest({ cwd })).toBe(first.file);
  expect(await files.latest({ cwd, dir: dirname(first.file) })).toBe(first.file);
  expect(await files.latest({ cwd, dir: '/nowhere' })).toBeUndefined();
  expect(await files.latest({ cwd: '/elsewhere' })).toBeUndefined();
  id = '3';
  expect(await files.latest({ cwd })).toBe(second.file);
  id = '1';
  await (await files.open(second.file, { whenBusy: 'fail' })).close();
  expect(await files.latest({ cwd })).toBe(second.file);
  rmSync(second.file);
  expect(await files.latest({ cwd })).toBe(first.file);
  mkdirSync(second.file);
  expect(await files.latest({ cwd })).toBe(first.file);
});

test('sessions are listed, of one folder or of all, newest first; a file is diagnosed, and a copy of it repaired', async () => {
  const t = await bootSessions();
  const here = await made(t);
  const there = await made(t, { cwd: '/elsewhere' });
  changed(here.file, 100);
  const files = async (options: { readonly cwd?: string }): Promise<readonly string[]> =>
    (await t.sessions.list(options)).map(({ file }) => file);
  expect(await files({ cwd })).toEqual([here.file]);
  expect(await files({})).toEqual([there.file, here.file]);
  expect(await t.sessions.diagnose(here.file)).toMatchObject({ sound: true, entries: 1 });
  appendFileSync(here.file, 'no JSON\n');
  expect(await t.sessions.diagnose(here.file)).toMatchObject({ sound: false, repairs: [{ kind: 'bad-line' }] });
  const copy = join(tempFolder(), 'copy.jsonl');
  expect(await t.sessions.repair(here.file, copy)).toMatchObject({ file: copy, sound: true });
  await expect(t.sessions.repair(here.file, copy)).rejects.toMatchObject({ code: 'session_exists' });
});
