import { type SessionEntry, sessionBeforeTree, sessionTree } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { calls, fakeModel, openSession, says, textsOf, toolPlugin } from './test/fakes.ts';

const said = (nodes: readonly unknown[], role: string): readonly SessionEntry[] =>
  (nodes as readonly SessionEntry[]).filter((entry) => entry.type === 'message' && entry.message.role === role);

test('the leaf moves within the file: what follows goes on from there, and nothing is lost', async () => {
  await using s = await openSession([says('one'), says('two'), says('three')]);
  await s.session.prompt({ text: 'a' });
  await s.session.prompt({ text: 'b' });
  const [first] = said(s.session.nodes(), 'assistant');
  expect(await s.session.navigateTree(first?.id ?? '')).toEqual({ done: true });
  expect(s.session.leaf).toBe(first?.id);
  expect(textsOf(s.session.messages())).toEqual(['a', 'one']);
  expect(s.events.at(-1)).toEqual({ type: 'session_tree', leaf: first?.id });
  await s.session.prompt({ text: 'b2' });
  expect(textsOf(s.requests[2]?.messages ?? [])).toEqual(['a', 'one', 'b2']);
  expect(said(s.session.nodes(), 'user').map(({ parentId }) => parentId)).toHaveLength(3);
});

test('at a message of the person the leaf is before it, and its words are handed back', async () => {
  await using s = await openSession([says('one'), says('two'), says('three')]);
  await s.session.prompt({ text: 'a' });
  await s.session.prompt({ text: 'b' });
  const [first, second] = said(s.session.nodes(), 'user');
  expect(await s.session.navigateTree(second?.id ?? '')).toEqual({ done: true, text: 'b' });
  expect(s.session.leaf).toBe(second?.parentId);
  expect(await s.session.navigateTree(first?.id ?? '')).toEqual({ done: true, text: 'a' });
  expect(s.session.messages()).toEqual([]);
  // The head that was sent stands before the first message.
  await s.session.prompt({ text: 'a2' });
  expect(s.requests[2]?.systemPrompt).toBe(s.requests[0]?.systemPrompt);
  expect(said(s.session.nodes(), 'system')).toHaveLength(1);
});

test('at the very beginning there is no head any more: one is made, and stands in the session', async () => {
  await using s = await openSession([says('one'), says('two')]);
  await s.session.prompt({ text: 'a' });
  await s.session.navigateTree(null);
  expect(s.session.leaf).toBeNull();
  await s.session.prompt({ text: 'a2' });
  expect(said(s.session.nodes(), 'system')).toHaveLength(2);
  expect(s.requests[1]?.systemPrompt).toBe(s.requests[0]?.systemPrompt);
  const root = s.session.nodes().filter(({ parentId }) => parentId === null);
  expect(root).toHaveLength(2);
});

test('the branch says which model and level went on, also after a move to before they were chosen', async () => {
  const models = [fakeModel(), fakeModel({ id: 'fake/other', model: 'other' })];
  await using s = await openSession([says('one'), says('two'), says('three')], { models });
  await s.session.prompt({ text: 'a' });
  const [first] = said(s.session.nodes(), 'assistant');
  await s.session.setModel('fake/other');
  await s.session.prompt({ text: 'b' });
  await s.session.navigateTree(first?.id ?? '');
  expect(s.session.leaf).toBe(first?.id);
  await s.session.prompt({ text: 'c' });
  const written = (s.session.nodes() as readonly SessionEntry[]).filter(({ type }) => type === 'model_change');
  expect(written.map((entry) => (entry.type === 'model_change' ? entry.modelId : ''))).toEqual(['m', 'other', 'other']);
});

test('a plugin may refuse a move, or give the summary of what is left', async () => {
  let answer: { refuse: string } | { summary: string } = { refuse: 'stay' };
  const log: string[] = [];
  const guard = definePlugin({
    id: 'guard',
    setup: (ctx) => {
      ctx.tap(sessionBeforeTree, ({ summarize }) => {
        log.push(`before-tree ${summarize}`);
        return answer;
      });
      ctx.tap(sessionTree, ({ from, to }) => void log.push(`tree ${from} ${to}`));
    },
  });
  await using s = await openSession([says('one'), says('two'), says('three')], { plugins: [guard] });
  await s.session.prompt({ text: 'a' });
  const [first] = said(s.session.nodes(), 'assistant');
  await s.session.prompt({ text: 'b' });
  const left = s.session.leaf;
  expect(await s.session.navigateTree(first?.id ?? '', { summarize: true })).toEqual({ done: false, reason: 'stay' });
  expect(s.session.leaf).toBe(left);
  answer = { summary: 'b was tried' };
  expect(await s.session.navigateTree(first?.id ?? '', { label: 'before b' })).toEqual({ done: true });
  const summary = (s.session.nodes() as readonly SessionEntry[]).find(({ type }) => type === 'branch_summary');
  expect(summary).toMatchObject({ parentId: first?.id, fromId: left, summary: 'b was tried', fromHook: true });
  expect(s.session.label(summary?.id ?? '')).toBe('before b');
  await s.session.prompt({ text: 'c' });
  expect(textsOf(s.requests[2]?.messages ?? []).slice(0, 2)).toEqual(['a', 'one']);
  expect(textsOf(s.requests[2]?.messages ?? [])[2]).toContain('b was tried');
  expect(log).toEqual(['before-tree true', 'before-tree false', `tree ${left} ${first?.id}`]);
});

test('a move to where the leaf is, or to an entry that is not there, changes nothing', async () => {
  await using s = await openSession([says('one')]);
  await s.session.prompt({ text: 'a' });
  expect(await s.session.navigateTree(s.session.leaf)).toEqual({ done: true });
  await expect(s.session.navigateTree('nope')).rejects.toMatchObject({ code: 'entry_unknown' });
  expect(s.events.some(({ type }) => type === 'session_tree')).toBe(false);
});

test('entries of a plugin are those of the branch, and labels stand at their entries', async () => {
  await using s = await openSession([says('one'), says('two')]);
  await s.session.prompt({ text: 'a' });
  const mark = s.session.appendEntry('todo', { open: 1 });
  await s.session.prompt({ text: 'b' });
  s.session.appendEntry('other', {});
  s.session.appendEntry('todo', { open: 2 });
  expect(s.session.entriesOf('todo').map(({ data }) => data)).toEqual([{ open: 1 }, { open: 2 }]);
  await s.session.navigateTree(mark);
  expect(s.session.entriesOf('todo')).toEqual([{ id: mark, data: { open: 1 } }]);
  s.session.setLabel(mark, 'here');
  expect(s.session.label(mark)).toBe('here');
  s.session.setLabel(mark, undefined);
  expect(s.session.label(mark)).toBeUndefined();
  expect(() => s.session.setLabel('nope', 'x')).toThrow(expect.objectContaining({ code: 'entry_unknown' }));
});

test('stats count all branches, and what the next request carries', async () => {
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 15 };
  const cost = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 };
  await using s = await openSession(
    [
      calls(['c1', 'a'], ['c2', 'gone']),
      says('one', { usage: { ...usage, cost } }),
      says('two', { usage: { ...usage, cost } }),
      says('three', { usage: { ...usage, cost: null } }),
    ],
    { plugins: [toolPlugin('a', 'fine')] },
  );
  await s.session.prompt({ text: 'a' });
  expect(s.session.stats()).toMatchObject({
    ...{ userMessages: 1, assistantMessages: 2, toolCalls: 2, toolErrors: 1, branches: 1, compactions: 0, cost: 2 },
    usage: { input: 10, output: 5 },
  });
  const [user] = said(s.session.nodes(), 'user');
  await s.session.prompt({ text: 'b' });
  await s.session.navigateTree(user?.id ?? '');
  await s.session.prompt({ text: 'c' });
  const stats = s.session.stats();
  expect(stats).toMatchObject({ userMessages: 3, assistantMessages: 4, branches: 2, cost: null });
  expect(stats.context.window).toBe(1_000);
  expect(stats.context.tokens).toBeGreaterThan(0);
});

test('what a provider remembers lasts as long as the model and the branch', async () => {
  const models = [fakeModel(), fakeModel({ id: 'fake/other', model: 'other' })];
  await using s = await openSession(
    ['1', '2', '3', '4', '5'].map((text) => says(text)),
    { models },
  );
  const remembered = (at: number): unknown => s.requests[at]?.state?.get('fake');
  await s.session.prompt({ text: 'a' });
  s.requests[0]?.state?.set('fake', 'response 1');
  await s.session.prompt({ text: 'b' });
  expect(remembered(1)).toBe('response 1');
  await s.session.setModel('fake/other');
  await s.session.prompt({ text: 'c' });
  expect(remembered(2)).toBeUndefined();
  s.requests[2]?.state?.set('fake', 'response 2');
  const [, second] = said(s.session.nodes(), 'user');
  await s.session.navigateTree(second?.id ?? '');
  await s.session.prompt({ text: 'b2' });
  expect(remembered(3)).toBeUndefined();
});

test('a turn asks the store for nothing of what was said before it', async () => {
  const replies = Array.from({ length: 60 }, (_, at) => says(`answer ${at}`));
  await using s = await openSession(replies);
  for (let at = 0; at < 50; at += 1) await s.session.prompt({ text: `question ${at}` });
  const [store] = [...s.stored.values()];
  const read: string[] = [];
  store?.watch((what) => read.push(what));
  await s.session.prompt({ text: 'one more' });
  expect(read).toEqual([]);
  expect(s.requests.at(-1)?.messages).toHaveLength(101);
});
