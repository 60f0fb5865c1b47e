import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type NewEntry, sessions } from 'kern/contracts';
import { bootKern } from 'kern/testing';
import { expect, test } from 'vitest';
import sqliteSessions from './sqlite-sessions.ts';

const user = (text: string): NewEntry => ({
  type: 'message',
  message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 },
});

test('sessions lie where a plugin keeps them, and nowhere else', async () => {
  await using t = await bootKern([sqliteSessions], { config: { sessions: { storage: 'sqlite' } } });
  await t.view.use(sessions).load();
  const service = t.view.service(sessions);
  const store = await service.create({ cwd: t.dir, persist: true });
  await store.append(user('one'));
  await Promise.all([store.append(user('two')), store.append(user('three'))]);
  await store.close();
  const file = store.file ?? '';
  expect(await service.latest({ cwd: t.dir })).toBe(file);
  expect((await service.list({ cwd: t.dir })).map(({ messages }) => messages)).toEqual([3]);
  const again = await service.open(file, { whenBusy: 'fail' });
  expect(again.entries()).toEqual(store.entries());
  const fork = await service.fork(again, { cwd: t.dir, persist: true });
  expect(fork.entries()).toEqual(store.entries());
  await Promise.all([again.close(), fork.close()]);
  await service.remove(file);
  await expect(service.open(file, { whenBusy: 'fail' })).rejects.toMatchObject({ code: 'session_not_found' });
  expect([existsSync(join(t.dir, 'sessions.db')), existsSync(join(t.dir, 'sessions'))]).toEqual([true, false]);
});
