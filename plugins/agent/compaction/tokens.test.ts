import type { ContextMessage, Message } from 'kern/contracts';
import { expect, test } from 'vitest';
import { assistant, calling, counted, desk, never, result, user, words } from './test/desk.ts';
import { Tokens, textTokens } from './tokens.ts';

const entriesOf = (messages: readonly Message[]): ContextMessage[] =>
  messages.map((message, at) => ({ message, entryId: String(at) }));

test('four letters are a token, and a sign of Chinese is most of one', () => {
  expect(textTokens('abcd')).toBe(1);
  expect(textTokens('你好')).toBe(2);
});

test('a picture, a call and its arguments count', () => {
  const tokens = new Tokens();
  const image = { type: 'image' as const, data: words(10_000), mimeType: 'image/png' };
  expect(tokens.of(user('abcd', [image]))).toBe(1_201);
  expect(tokens.of(calling('c1', 'read', { path: words(10) }))).toBeGreaterThan(10);
});

test('a sum that goes on where the last one ended is the sum', () => {
  const tokens = new Tokens();
  const entries = entriesOf([user(words(10)), assistant(words(20))]);
  expect(tokens.all(entries)).toBe(30);
  const more = [...entries, ...entriesOf([user(words(5))])];
  expect(tokens.all(more)).toBe(35);
  const other = more.with(1, { message: assistant(words(1)), entryId: '1' });
  expect(tokens.all(other)).toBe(16);
  const hidden = other.toSpliced(1, 1);
  expect(tokens.all(hidden)).toBe(15);
  expect(tokens.all([...hidden, ...entriesOf([user(words(1)), user(words(2))])])).toBe(18);
  expect(tokens.all([])).toBe(0);
});

test('without a count all is estimated, head and tools too', async () => {
  const tools = [{ name: 'abcd', description: words(50), inputSchema: {} }];
  await using d = await desk({ head: { system: words(100), tools } });
  d.say(user(words(10)));
  expect(d.compactor.contextTokens()).toBe(100 + 1 + 50 + 1 + 10);
});

test('what the last reply counted counts, and what came after it is estimated', async () => {
  await using d = await desk({ head: { system: words(100), tools: [] } });
  d.say(user(words(10)), assistant('a', counted(3_000)), user(words(7)));
  expect(d.compactor.contextTokens()).toBe(3_007);
  d.say(assistant('failed', { ...counted(9_000), stopReason: 'error' }));
  expect(d.compactor.contextTokens()).toBe(3_009);
});

test('what another model counted is no count', async () => {
  await using d = await desk();
  d.say(user(words(10)), assistant(words(1), counted(3_000)));
  d.setModel({ ...d.model, model: 'other', id: 'fake/other' });
  expect(d.compactor.contextTokens()).toBe(11);
});

test('a count from before a compaction, or from before an edit of what it counted, is stale', async () => {
  await using d = await desk();
  d.say(user(words(10)), assistant(words(1), counted(3_000)), user('next'));
  const [first] = d.context();
  d.write({ type: 'context_edit', targetId: first?.entryId ?? '', replacement: null });
  d.rebuild();
  expect(d.compactor.contextTokens()).toBe(2);
  d.say(assistant('a', counted(2_000)));
  expect(d.compactor.contextTokens()).toBe(2_000);
  const kept = d.context().at(-1)?.entryId ?? '';
  d.write({ type: 'compaction', summary: words(5), firstKeptEntryId: kept, tokensBefore: 1 });
  d.rebuild();
  expect(d.compactor.contextTokens()).toBeLessThan(100);
});

test('to hide what failed after a count leaves the count as it is', async () => {
  await using d = await desk();
  d.say(user('hi'), assistant('a', counted(2_000)), user(words(3)), assistant('half', { stopReason: 'error' }));
  d.write({ type: 'context_edit', targetId: d.context().at(-1)?.entryId ?? '', replacement: null });
  d.rebuild();
  expect(d.compactor.contextTokens()).toBe(2_003);
});

test('replies that count nothing are passed over', async () => {
  await using d = await desk();
  d.say(user('hi'), assistant('a', counted(2_000)), calling('c1', 'read'), result('c1', 'read', words(40)));
  expect(d.compactor.contextTokens()).toBeGreaterThanOrEqual(2_040);
  await d.compactor.beforeTurn(never());
  expect(d.events).toEqual([]);
});
