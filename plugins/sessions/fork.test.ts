import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bootSessions, cwd, linesOf, note, said, textsOf, user } from './test/stores.ts';

const artifactsOf = (file: string): string => file.replace('.jsonl', '');

test('a fork is a file of its own with the branch, its ids, its artifacts and where it came from', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun('one');
  await store.append(said('two', { usage: { ...usage, cost: null } }));
  mkdirSync(artifactsOf(store.file));
  writeFileSync(join(artifactsOf(store.file), '1.bash.log'), 'long');
  const copy = await sessions.fork(store, { cwd, persist: true });
  expect(copy.header).toMatchObject({ cwd, parentSession: store.file });
  expect(copy.header.id).not.toBe(store.header.id);
  expect(copy.entries()).toEqual(store.entries());
  expect(linesOf(copy.file ?? '').slice(1)).toEqual(linesOf(store.file).slice(1));
  expect(readFileSync(join(artifactsOf(copy.file ?? ''), '1.bash.log'), 'utf8')).toBe('long');
  await copy.append(user('only here'));
  expect(textsOf(store)).toEqual(['one', 'two']);
  await Promise.all([copy.close(), store.close()]);
  const again = await sessions.open(copy.file ?? '', { whenBusy: 'fail' });
  expect(textsOf(again)).toEqual(['one', 'two', 'only here']);
  await again.close();
});

const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 3, cost: null };

test('a fork ends where it is told to, and keeps no other branch', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun('one');
  const one = store.leaf;
  await store.append(said('two'));
  await store.moveLeaf(one);
  await store.append(said('other two'));
  const leaf = store.leaf;
  const whole = await sessions.fork(store, { cwd, persist: true });
  const begin = await sessions.fork(store.file, { cwd, persist: true, upTo: one });
  expect([textsOf(whole), textsOf(begin)]).toEqual([['one', 'other two'], ['one']]);
  expect([whole.leaf, begin.leaf]).toEqual([leaf, one]);
  expect(whole.nodes()).toHaveLength(2);
  await Promise.all([whole.close(), begin.close(), store.close()]);
});

test('a fork in which nobody has said anything yet appears with the first user message', async () => {
  const { sessions } = await bootSessions();
  const store = await sessions.create({ cwd, persist: true });
  void store.append({ type: 'model_change', provider: 'p', modelId: 'm' });
  void store.append({ type: 'thinking_level_change', thinkingLevel: 'high' });
  const before = store.leaf;
  await store.append(user('one'));
  const copy = await sessions.fork(store, { cwd, persist: true, upTo: before });
  expect(copy.entries()).toEqual(store.entries(before));
  expect(existsSync(copy.file ?? '')).toBe(false);
  await copy.append(user('one, better'));
  const context = copy.context();
  expect([context.models.default, context.thinking]).toEqual(['p/m', 'high']);
  expect(linesOf(copy.file ?? '').map(({ type }) => type)).toEqual([
    'session',
    'model_change',
    'thinking_level_change',
    'message',
  ]);
  expect(copy.entries().map(({ id }) => copy.entry(id)?.type)).toHaveLength(3);
  await copy.close();
  const nothing = await sessions.fork(store, { cwd, persist: true, upTo: null });
  expect([nothing.entries(), nothing.header.parentSession]).toEqual([[], store.file]);
  await nothing.close();
  await store.close();
  expect(existsSync(nothing.file ?? '')).toBe(false);
});

test('a fork that is not kept lives in memory, with the ids that entries name each other by', async () => {
  const { begun, sessions, home } = await bootSessions();
  const store = await begun('one');
  const one = store.leaf ?? '';
  await store.append({ type: 'label', targetId: one, label: 'here' });
  const copy = await sessions.fork(store, { cwd, persist: false });
  expect([copy.file, copy.label(one), textsOf(copy)]).toEqual([undefined, 'here', ['one']]);
  await copy.append(user('two'));
  expect(textsOf(copy)).toEqual(['one', 'two']);
  await store.close();
  expect(readdirSync(join(home, 'sessions', readdirSync(join(home, 'sessions'))[0] ?? ''))).toHaveLength(1);
});

test('a label that was given on another branch comes with the entry it names', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun('one');
  const one = store.leaf ?? '';
  const two = await store.append(said('two'));
  await store.append({ type: 'label', targetId: one, label: 'start' });
  const copy = await sessions.fork(store, { cwd, persist: true, upTo: two.id });
  expect(copy.label(one)).toBe('start');
  await copy.close();
  const again = await sessions.open(copy.file ?? '', { whenBusy: 'fail' });
  expect([again.label(one), textsOf(again)]).toEqual(['start', ['one', 'two']]);
  await again.close();
  await store.close();
});

test('lines of other programs come along as they are', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun('one');
  await store.close();
  const foreign = {
    type: 'usage',
    id: 'abcdef01',
    parentId: store.leaf,
    timestamp: 't',
    kind: 'title',
    n: [1, { x: 2 }],
  };
  writeFileSync(store.file, `${readFileSync(store.file, 'utf8')}${JSON.stringify(foreign)}\n`);
  const copy = await sessions.fork(store.file, { cwd, persist: true });
  expect(linesOf(copy.file ?? '').at(-1)).toEqual(foreign);
  await copy.close();
});

test('what is not written yet is in the fork', async () => {
  const { begun, sessions } = await bootSessions();
  const store = await begun('one');
  const waiting = store.append(note('just now'));
  const copy = await sessions.fork(store, { cwd, persist: true });
  expect(copy.entries().at(-1)).toMatchObject({ data: 'just now' });
  await waiting;
  await Promise.all([copy.close(), store.close()]);
});
