import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type SessionStore, type StoreReport, sessions } from 'kern/contracts';
import { bootKernel } from 'kern/testing';
import { expect, test } from 'vitest';
import plugin from './index.ts';
import { folderName, sessionFile, sessionId } from './names.ts';
import { bootSessions, cwd, linesOf, note, said, tempFolder, textsOf, user } from './test/stores.ts';

async function opened(
  options: { report?: (report: StoreReport) => void; cwd?: string } = {},
): Promise<{ store: SessionStore; home: string }> {
  const { sessions, home } = await bootSessions();
  const store = await sessions.create({ cwd, persist: true, ...options });
  return { store, home };
}

test('the file appears with the first user message, and holds all that came before it', async () => {
  const { store, home } = await opened();
  const early = store.append({ type: 'model_change', provider: 'p', modelId: 'm' });
  void store.append({ type: 'thinking_level_change', thinkingLevel: 'off' });
  await store.flush();
  expect(existsSync(join(home, 'sessions'))).toBe(false);
  await store.append(user('hello'));
  await early;
  const [header, ...entries] = linesOf(store.file ?? '');
  expect(header).toEqual(store.header);
  expect(entries.map(({ type }) => type)).toEqual(['model_change', 'thinking_level_change', 'message']);
  await store.close();
});

test('a session in which nobody said anything leaves nothing behind, and says so to who waits', async () => {
  const { store, home } = await opened();
  const early = store.append(note(1));
  await store.close();
  await expect(early).rejects.toMatchObject({ code: 'session_empty' });
  expect(existsSync(join(home, 'sessions'))).toBe(false);
});

test('entries form a chain from the root to the leaf, with the keys in the order pi writes', async () => {
  const { store } = await opened();
  await store.append(user('a'));
  const answer = await store.append(said('b'));
  expect(store.entries().at(-1)).toBe(answer);
  const [, first, second] = linesOf(store.file ?? '');
  expect(first).toMatchObject({ parentId: null });
  expect(second).toMatchObject({ parentId: first?.id, id: answer.id });
  expect(first?.id).toMatch(/^[0-9a-f]{8}$/);
  expect(Object.keys(second ?? {})).toEqual(['type', 'id', 'parentId', 'timestamp', 'message']);
  await store.close();
});

test('the lines have the keys that pi 1.6.0 writes, in its order', async () => {
  const { store } = await opened();
  void store.append({ type: 'model_change', provider: 'p', modelId: 'm' });
  void store.append({ type: 'thinking_level_change', thinkingLevel: 'off' });
  void store.append({ type: 'message', message: { role: 'system', content: 'you are', timestamp: 1, toolsAdded: [] } });
  await store.append(user('hi'));
  const lines = linesOf(store.file ?? '');
  const place = ['type', 'id', 'parentId', 'timestamp'];
  expect(lines.map((line) => Object.keys(line))).toEqual([
    ['type', 'version', 'id', 'timestamp', 'cwd'],
    [...place, 'provider', 'modelId'],
    [...place, 'thinkingLevel'],
    [...place, 'message'],
    [...place, 'message'],
  ]);
  expect(Object.keys(lines[3]?.message as object)).toEqual(['role', 'content', 'timestamp', 'toolsAdded']);
  await store.close();
});

test('an unknown price and a refusal are written so that pi can read them', async () => {
  const { store } = await opened();
  void store.append(user('a'));
  const kept = await store.append(said('no', { stopReason: 'refusal' }));
  const line = linesOf(store.file ?? '').at(-1)?.message;
  expect(line).toMatchObject({
    stopReason: 'stop',
    rawStopReason: 'refusal',
    usage: { input: 1, costUnknown: true, cost: { total: 0 } },
  });
  expect(kept).toMatchObject({ message: { stopReason: 'refusal', usage: { cost: null } } });
  await store.close();
});

test('the file and its folders are private', async () => {
  const { store, home } = await opened();
  await store.append(user('a'));
  const file = store.file ?? '';
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, 'sessions')).mode & 0o777).toBe(0o700);
  expect(dirname(file)).toBe(join(home, 'sessions', '--home-user-repo--'));
  await store.close();
});

test('many entries at once are written once each, in order', async () => {
  const { store } = await opened();
  const acknowledged: number[] = [];
  await store.append(user('begin'));
  await Promise.all(
    Array.from({ length: 500 }, (_, index) =>
      store.append({ type: 'custom', customType: 'n', data: index }).then(() => acknowledged.push(index)),
    ),
  );
  const written = linesOf(store.file ?? '').flatMap((line) => (line.type === 'custom' ? [line.data] : []));
  expect(written).toEqual(Array.from({ length: 500 }, (_, index) => index));
  expect(acknowledged).toEqual(written);
  await store.close();
});

test('an entry is acknowledged only after it can be read from the file', async () => {
  const { store } = await opened();
  await store.append(user('begin'));
  for (let index = 0; index < 20; index += 1) {
    const { id } = await store.append({ type: 'custom', customType: 'n', data: index });
    expect(linesOf(store.file ?? '').at(-1)).toMatchObject({ id });
  }
  await store.close();
});

test('an entry that is added by the acknowledgement of another is written too', async () => {
  const { store } = await opened();
  await store.append(user('begin'));
  const { promise, resolve } = Promise.withResolvers<unknown>();
  void store
    .append({ type: 'custom', customType: 'first' })
    .then(() => resolve(store.append({ type: 'custom', customType: 'second' })));
  expect(await promise).toMatchObject({ customType: 'second' });
  await store.close();
});

test('a session in memory has no file and acknowledges at once', async () => {
  await using t = await bootKernel([plugin]);
  const store = await t.view.service(sessions).create({ cwd: '/x', persist: false });
  const entry = await store.append(user('a'));
  expect(store.file).toBeUndefined();
  expect(store.entries()).toEqual([entry]);
  await store.flush();
  await store.close();
  expect(readdirSync(t.dir)).toEqual([]);
});

test('session ids are UUIDs of version 7 that sort by time', () => {
  const ids = [1, 1_000, 1_796_047_783_073].map((now) => sessionId(now));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
});

test('a folder name is that of pi, and stays short for a long path without two paths sharing it', () => {
  expect(folderName('/home/user/repo')).toBe('--home-user-repo--');
  expect(folderName('C:\\work\\repo')).toBe('--C--work-repo--');
  const long = `/${'x'.repeat(300)}`;
  expect(Buffer.byteLength(folderName(`${long}/a`))).toBeLessThan(256);
  expect(folderName(`${long}/a`)).not.toBe(folderName(`${long.replace('x', 'y')}/a`));
  expect(sessionFile('/k', '/a', '2026-11-30T14:09:42.985Z', 'id')).toBe(
    '/k/sessions/--a--/2026-11-30T14-09-42-985Z_id.jsonl',
  );
});

test('a folder behind a link has the sessions of the folder itself', async () => {
  const { sessions, home } = await bootSessions();
  const folder = tempFolder();
  mkdirSync(join(folder, 'repo'));
  symlinkSync(join(folder, 'repo'), join(folder, 'link'));
  const store = await sessions.create({ cwd: join(folder, 'link'), persist: true });
  await store.append(user('hello'));
  expect(store.header.cwd).toBe(join(folder, 'repo'));
  expect(dirname(store.file ?? '')).toBe(join(home, 'sessions', folderName(join(folder, 'repo'))));
  expect(await sessions.latest({ cwd: join(folder, 'repo') })).toBe(store.file);
  await store.close();
});

test('what pi has no word for is written as what it reads, and read back as what it was', async () => {
  const { sessions, begun } = await bootSessions();
  const store = await begun();
  await store.append({ type: 'mode_change', mode: 'plan', data: { file: 'p.md' } });
  await store.append({ type: 'ttsr_injection', injectedRules: ['a'] });
  await store.append({ type: 'session_init', systemPrompt: 's', task: 't', tools: ['read'] });
  const files = [{ path: 'a.txt', content: 'one\ntwo' }];
  await store.append({ type: 'message', message: { role: 'fileMention', files, timestamp: 5 } });
  await store.append({ type: 'context_edit', targetId: 'x', replacement: null });
  const before = store.entries();
  await store.close();
  expect(linesOf(store.file).map(({ type, customType }) => customType ?? type)).toEqual([
    'session',
    'message',
    'kern.mode_change',
    'kern.ttsr_injection',
    'kern.session_init',
    'kern.file-mention',
    'context_edit',
  ]);
  expect(linesOf(store.file)[5]).toMatchObject({ type: 'custom_message', content: [{ type: 'text' }] });
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(again.entries()).toEqual(before);
  await again.close();
});

test('the leaf moves and stays moved for whoever opens the file next', async () => {
  const { sessions, begun } = await bootSessions();
  const store = await begun('one');
  const one = store.leaf;
  await store.append(said('two'));
  await store.moveLeaf(one);
  expect(store.leaf).toBe(one);
  await store.close();
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(again.leaf).toBe(one);
  await again.append(said('other two'));
  expect(textsOf(again)).toEqual(['one', 'other two']);
  await again.moveLeaf(null);
  await again.append(user('from the beginning'));
  expect(textsOf(again)).toEqual(['from the beginning']);
  await again.close();
});

test('half a character comes back as it was', async () => {
  const { sessions, begun } = await bootSessions();
  const store = await begun('a \ud83d b');
  await store.close();
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(textsOf(again)).toEqual(['a \ud83d b']);
  await again.close();
});

test('what JSON has no word for is told in words, and takes nothing with it', async () => {
  const { begun } = await bootSessions();
  const store = await begun();
  const round: Record<string, unknown> = { n: 10n };
  round.self = round;
  await store.append(note(round));
  await store.append(note('after'));
  expect(linesOf(store.file).slice(2)).toMatchObject([
    { data: { n: '10', self: '[the same again]' } },
    { data: 'after', parentId: linesOf(store.file)[2]?.id },
  ]);
  await store.close();
});
