import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import plugin from './index.ts';
import { self } from './owner.ts';
import { bootSessions, cwd, linesOf, note, notesIn, tempFolder, textsOf, user } from './test/stores.ts';

test('a session goes on where it was left', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun('one');
  await store.append(note(1));
  await store.close();
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(again.header).toEqual(store.header);
  expect(again.entries()).toEqual(store.entries());
  expect([again.busy, again.readonly, again.repairs]).toEqual([undefined, undefined, []]);
  const added = await again.append(user('two'));
  expect(added.parentId).toBe(store.leaf);
  expect(textsOf(again)).toEqual(['one', 'two']);
  await again.close();
});

test('what is not there, and what is no session, is told', async () => {
  const { sessions, home } = await bootSessions();
  const options = { whenBusy: 'fail' } as const;
  await expect(sessions.open(join(home, 'no.jsonl'), options)).rejects.toMatchObject({ code: 'session_not_found' });
  writeFileSync(join(home, 'notes.jsonl'), 'dear diary\n');
  await expect(sessions.open(join(home, 'notes.jsonl'), options)).rejects.toMatchObject({ code: 'session_unreadable' });
  await expect(sessions.open(home, options)).rejects.toMatchObject({ code: 'session_unreadable' });
  expect(readdirSync(home)).toEqual(['notes.jsonl']);
});

test('while it is open elsewhere a session is refused, read, or gone on with in a copy', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun('one');
  const owner = { pid: process.pid, host: self().host, since: expect.any(String) };
  await expect(sessions.open(store.file, { whenBusy: 'fail' })).rejects.toMatchObject({ code: 'session_busy' });

  const reader = await sessions.open(store.file, { whenBusy: 'readonly' });
  expect(reader).toMatchObject({ busy: { owner, as: 'readonly' }, readonly: expect.stringContaining('has it open') });
  expect(textsOf(reader)).toEqual(['one']);
  await expect(reader.append(note(1))).rejects.toMatchObject({ code: 'session_readonly' });
  await expect(reader.moveLeaf(null)).rejects.toMatchObject({ code: 'session_readonly' });
  await reader.close();

  const copy = await sessions.open(store.file, { whenBusy: 'fork' });
  expect(copy.busy).toEqual({ owner, as: 'fork' });
  expect(copy.header).toMatchObject({ parentSession: store.file, cwd });
  expect(dirname(copy.file ?? '')).toBe(dirname(store.file));
  await copy.append(user('in the copy'));
  await store.append(user('in the original'));
  expect(textsOf(copy)).toEqual(['one', 'in the copy']);
  expect(textsOf(store)).toEqual(['one', 'in the original']);
  await copy.close();
  await store.close();
});

test('the session of a process that was killed is taken over', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun('one');
  await store.close();
  const gone = { pid: process.pid, host: self().host, since: '2026-01-01T00:00:00.000Z' };
  writeFileSync(`${store.file}.lock`, JSON.stringify({ ...self(), ...gone, start: '1', token: 'ab' }));
  const again = await sessions.open(store.file, { whenBusy: 'fail' });
  expect(again.busy).toEqual({ owner: gone, as: 'takeover' });
  await again.append(note(1));
  await again.close();
  expect(readdirSync(dirname(store.file))).toHaveLength(1);
});

test('who lost a session while it was stopped goes on in a copy, with what it had not written yet', async () => {
  const { begun, reports, sessions } = await bootSessions();
  const store = await begun('one');
  await store.append(note('before'));
  const file = store.file;
  // Another process found the owner stopped, took over, and wrote.
  writeFileSync(`${file}.lock`, JSON.stringify({ ...self(), start: '1', token: 'ab' }));
  const taker = await sessions.open(file, { whenBusy: 'fail' });
  await taker.append(note('theirs'));
  const waiting = store.append(note('ours'));
  await store.flush();
  await waiting;
  await taker.append(note('theirs too'));
  expect(store.file).not.toBe(file);
  expect(store.busy).toMatchObject({ as: 'fork', owner: { pid: process.pid } });
  expect(notesIn(file)).toEqual(['before', 'theirs', 'theirs too']);
  expect(notesIn(store.file)).toEqual(['before', 'ours']);
  expect(reports.map(({ type }) => type)).toEqual(['write-failed', 'moved', 'write-restored']);
  await Promise.all([store.close(), taker.close()]);
  expect(readdirSync(dirname(file)).filter((name) => !name.endsWith('.jsonl'))).toEqual([]);
});

test('a link leads to the session itself, and to its lock', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun();
  const link = join(tempFolder(), 'link.jsonl');
  symlinkSync(store.file, link);
  await expect(sessions.open(link, { whenBusy: 'fail' })).rejects.toMatchObject({ code: 'session_busy' });
  await store.close();
  const again = await sessions.open(link, { whenBusy: 'fail' });
  expect(again.file).toBe(store.file);
  await again.close();
});

test('a closed session takes nothing more, and can be opened by another', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun();
  await store.close();
  await store.close();
  await expect(store.append(note(1))).rejects.toMatchObject({ code: 'session_closed' });
  await (await sessions.open(store.file, { whenBusy: 'fail' })).close();
});

test('a session stays open over a reload of its plugin, keeps its lock, and goes by new settings', async () => {
  const { begun, kernel } = await bootSessions();
  const store = await begun();
  expect((await kernel.put(plugin)).ok).toBe(true);
  await store.append(note(1));
  expect(existsSync(`${store.file}.lock`)).toBe(true);
  kernel.kernel.crash();
  expect(existsSync(`${store.file}.lock`)).toBe(false);
  await store.close();
  expect(notesIn(store.file)).toEqual([1]);
});

test('a session is deleted with its artifacts, and only if nobody has it open', async () => {
  const { begun, sessions, home } = await bootSessions();
  const store = await begun();
  const artifacts = store.file.replace('.jsonl', '');
  mkdirSync(artifacts);
  writeFileSync(join(artifacts, '1.bash.log'), 'x');
  await expect(sessions.remove(store.file)).rejects.toMatchObject({ code: 'session_busy' });
  await store.close();
  await sessions.remove(store.file);
  expect(readdirSync(dirname(store.file))).toEqual([]);
  await expect(sessions.remove(store.file)).rejects.toMatchObject({ code: 'session_not_found' });
  writeFileSync(join(home, 'notes.jsonl'), 'dear diary\n');
  await expect(sessions.remove(join(home, 'notes.jsonl'))).rejects.toMatchObject({ code: 'session_unreadable' });
  expect(readFileSync(join(home, 'notes.jsonl'), 'utf8')).toBe('dear diary\n');
});

test('sessions of pi and oh-my-pi are opened, and go on', async () => {
  const { sessions, home } = await bootSessions();
  for (const name of ['pi-1.6.0', 'oh-my-pi-18']) {
    const file = join(home, `${name}.jsonl`);
    const text = readFileSync(new URL(`test/fixtures/${name}.jsonl`, import.meta.url), 'utf8');
    writeFileSync(file, text);
    const store = await sessions.open(file, { whenBusy: 'fail' });
    const { length } = store.entries();
    await store.append(user('go on'));
    await store.close();
    expect(readFileSync(file, 'utf8').startsWith(text)).toBe(true);
    const again = await sessions.open(file, { whenBusy: 'fail' });
    expect(again.entries()).toHaveLength(length + 1);
    expect(linesOf(file).at(-1)).toMatchObject({ parentId: again.entries().at(-2)?.id });
    await again.close();
  }
});
