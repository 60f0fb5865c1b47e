import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type MemoryFile, memoryStorage } from './memory-storage.ts';
import { bootSessions, cwd, note, textsOf, user } from './test/stores.ts';

test('in memory sessions are opened, found and forked like others, and leave nothing on the disk', async () => {
  const { begun, sessions, home } = await bootSessions({ settings: { storage: 'memory' } });
  const store = await begun('one');
  await store.append(note(1));
  await store.close();
  expect(await sessions.find(store.header.id, { cwd })).toBe(store.file);
  expect(await sessions.latest({ cwd })).toBe(store.file);
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  await again.append(user('two'));
  const fork = await sessions.fork(again, { cwd, persist: true });
  expect([textsOf(again), textsOf(fork)]).toEqual([
    ['one', 'two'],
    ['one', 'two'],
  ]);
  await Promise.all([again.close(), fork.close()]);
  await sessions.remove(store.file);
  await expect(sessions.open(store.file, { whenBusy: 'fail' })).rejects.toMatchObject({ code: 'session_not_found' });
  expect(readdirSync(home).filter((name) => name !== 'terminal-sessions')).toEqual([]);
});

test('a plugin supplies a storage of its own, and the setting names it', async () => {
  const files = new Map<string, MemoryFile>();
  const storage = { ...memoryStorage(files), id: 'database' };
  const { begun, sessions, home } = await bootSessions({ storage, settings: { storage: 'database' } });
  const store = await begun('one');
  await store.close();
  expect([...files.keys()]).toEqual([store.file]);
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(textsOf(again)).toEqual(['one']);
  await again.close();
  expect(readdirSync(home)).not.toContain('sessions');
});

test('a storage that nobody supplies is named with those there are', async () => {
  const { sessions } = await bootSessions({ settings: { storage: 'cloud' } });
  await expect(sessions.create({ cwd, persist: true })).rejects.toMatchObject({
    code: 'session_storage_unknown',
    hint: expect.stringContaining('file, memory'),
  });
  await (await sessions.create({ cwd, persist: false })).close();
});

test('memory gives back what was written, and nothing beyond', async () => {
  const storage = memoryStorage(new Map());
  const appender = await storage.append('/a/s.jsonl', true);
  await expect(storage.append('/a/s.jsonl', true)).rejects.toMatchObject({ code: 'session_exists' });
  await appender.write(Buffer.from('hello '));
  await appender.write(Buffer.from('x'.repeat(10_000)));
  await appender.truncate(5);
  await appender.write(Buffer.from('!'));
  expect(Buffer.from(storage.readSync('/a/s.jsonl', 4, 100)).toString()).toBe('o!');
  expect((await storage.list('/a')).map(({ path, size }) => [path, size])).toEqual([['/a/s.jsonl', 6]]);
  expect(await storage.list(join('/a', 's'))).toEqual([]);
});
