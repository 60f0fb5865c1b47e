import type { Usage } from 'kern/contracts';
import { expect, test } from 'vitest';
import { SessionBudget } from './budget.ts';
import { calls, fakeModel, openSession, type Reply, replyOf, says, toolPlugin } from './test/fakes.ts';
import { calls as asks, call, expectPaired, ok, run, says as speaks, wordsOf } from './test/world.ts';

const priced = fakeModel({ cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } });
const paid = (total: number): Usage => ({
  ...{ input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0, totalTokens: 2 },
  cost: { input: total, output: 0, cacheRead: 0, cacheWrite: 0, total },
});
const callsFor = (total: number): Reply =>
  async function* () {
    const content = [{ type: 'toolCall' as const, id: 'c1', name: 'a', arguments: {} }];
    yield { type: 'done', message: replyOf(content, { usage: paid(total) }) };
  };
const toolA = toolPlugin('a', '');

test('turns are counted over all prompts; every call has its result, and the rest is not asked for', async () => {
  const replies = [calls(['c1', 'a']), says('one'), calls(['c2', 'a'])];
  await using s = await openSession(replies, { plugins: [toolA], limits: { maxTurns: 3 } });
  expect(await s.session.prompt({ text: 'x' })).toMatchObject({ status: 'ok', text: 'one', turns: 2 });
  const stopped = await s.session.prompt({ text: 'y' });
  expect(stopped).toMatchObject({
    status: 'limit',
    turns: 1,
    error: { code: 'turn_limit', message: 'stopped: the limit of 3 turns is used up' },
  });
  expectPaired(s.session.messages());
  expect(s.requests.length).toBe(3);
  expect(await s.session.prompt({ text: 'z' })).toMatchObject({ status: 'limit', turns: 0 });
  expect(s.requests.length).toBe(3);
  expect(s.session.budget.used.turns).toBe(3);
  expect(s.events.findLast(({ type }) => type === 'agent_settled')).toMatchObject({ aborted: false });
});

test('a run that has ended by itself is no run that was stopped', async () => {
  await using s = await openSession([says('one')], { limits: { maxTurns: 1 } });
  expect(await s.session.prompt({ text: 'x' })).toMatchObject({ status: 'ok', error: undefined });
});

test('money is counted by reply, and the reply that goes beyond the limit is the last one', async () => {
  const replies = [callsFor(0.2), callsFor(0.2), says('never')];
  await using s = await openSession(replies, { plugins: [toolA], models: [priced], limits: { maxCost: 0.3 } });
  const stopped = await s.session.prompt({ text: 'x' });
  expect(stopped).toMatchObject({ status: 'limit', turns: 2, cost: expect.closeTo(0.4) });
  expect(stopped.error).toMatchObject({ code: 'cost_limit', message: expect.stringContaining('$0.3 ($0.4000 was') });
  expectPaired(s.session.messages());
});

test('what a summary takes is paid from the budget too', async () => {
  const aside = says('a summary', { usage: paid(5) });
  const replies = [says('word '.repeat(400)), says('two')];
  await using s = await openSession(replies, {
    ...{ models: [priced], aside, limits: { maxCost: 4 } },
    boot: { config: { agent: { compaction: { keepRecentTokens: 1, reserveTokens: 10 } } } },
  });
  await s.session.prompt({ text: 'x' });
  await s.session.compact();
  await expect.poll(() => s.session.budget.used.cost).toBe(5);
  expect(await s.session.prompt({ text: 'y' })).toMatchObject({ status: 'limit', error: { code: 'cost_limit' } });
});

test('what a title takes is paid from the budget too', async () => {
  const aside = says('A title', { usage: paid(5) });
  await using s = await openSession([says('one')], {
    ...{ models: [priced], aside, limits: { maxCost: 4 } },
    boot: { config: { agent: { title: { enabled: true } } } },
  });
  await s.session.prompt({ text: 'x' });
  await expect.poll(() => s.session.budget.used.cost).toBe(5);
});

test('a reply that breaks off is paid for by its length', async () => {
  const breaks: Reply = async function* () {
    yield { type: 'text_start', contentIndex: 0 };
    yield { type: 'text_delta', contentIndex: 0, delta: 'x'.repeat(4_000_000) };
    throw new Error('cut');
  };
  await using s = await openSession([says('one', { usage: paid(0.5) }), breaks], { models: [priced] });
  await s.session.prompt({ text: 'x' });
  expect(await s.session.prompt({ text: 'y' })).toMatchObject({ status: 'error' });
  expect(s.session.budget.used.cost).toBeCloseTo(1.5, 3);
});

test('a limit of money needs a price, before anything is spent', async () => {
  const opened = openSession([says('x')], { limits: { maxCost: 1 } });
  await expect(opened).rejects.toMatchObject({
    code: 'price_unknown',
    message: expect.stringContaining('the price of fake/m is not known'),
  });
});

test('a model without a price that is chosen later is not asked', async () => {
  const known = [priced, fakeModel({ id: 'fake/other', model: 'other' })];
  await using s = await openSession([says('x')], { models: known, limits: { maxCost: 1 } });
  await s.session.setModel('fake/other');
  expect(await s.session.prompt({ text: 'x' })).toMatchObject({ status: 'limit', error: { code: 'price_unknown' } });
  expect(s.requests).toEqual([]);
});

test('time ends a reply that goes on for ever', async () => {
  const endless: Reply = async function* (_, signal) {
    yield { type: 'text_start', contentIndex: 0 };
    yield { type: 'text_delta', contentIndex: 0, delta: 'half' };
    await new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))),
    );
  };
  await using s = await openSession([endless], { limits: { maxTimeMs: 50 } });
  expect(await s.session.prompt({ text: 'x' })).toMatchObject({
    status: 'limit',
    text: 'half',
    error: { code: 'time_limit', message: expect.stringMatching(/the limit of 0.1 s is used up/) },
  });
  expect(await s.session.prompt({ text: 'y' })).toMatchObject({ status: 'limit', turns: 0 });
});

test('time ends a tool that runs, and its call has a result', async () => {
  const slow = toolPlugin('a', async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return 'stopped';
  });
  await using s = await openSession([calls(['c1', 'a'])], { plugins: [slow], limits: { maxTimeMs: 300 } });
  expect(await s.session.prompt({ text: 'x' })).toMatchObject({ status: 'limit', error: { code: 'time_limit' } });
  expectPaired(s.session.messages());
});

test('who aborts is told so, also under a limit of time', async () => {
  await using s = await openSession([calls(['c1', 'a'])], {
    plugins: [
      toolPlugin('a', () => {
        s.session.abort();
        return '';
      }),
    ],
    limits: { maxTimeMs: 60_000 },
  });
  expect(await s.session.prompt({ text: 'x' })).toMatchObject({ status: 'aborted' });
});

test('settings give limits where nobody asks for others', async () => {
  const boot = { config: { agent: { budget: { maxTurns: 1 } } } };
  const replies = [calls(['c1', 'a']), says('x')];
  await using strict = await openSession(replies, { boot, plugins: [toolA] });
  expect(await strict.session.prompt({ text: 'x' })).toMatchObject({ status: 'limit' });
  await using loose = await openSession(replies, { boot, plugins: [toolA], limits: { maxTurns: 5 } });
  expect(await loose.session.prompt({ text: 'x' })).toMatchObject({ status: 'ok' });
});

test('who works for another session spends its money and its time, and counts turns for itself', () => {
  let now = 0;
  const parent = new SessionBudget(
    () => ({ maxCost: 1, maxTurns: 2, maxTimeMs: 1_000 }),
    undefined,
    () => now,
  );
  const child = new SessionBudget(
    () => ({ maxTurns: 5, maxTimeMs: 5_000 }),
    parent,
    () => now,
  );
  using _ = parent.run(() => {});
  for (let nth = 0; nth < 4; nth += 1) child.turnBegins();
  expect(child.over(priced)).toBeUndefined();
  child.pay(1.5);
  expect(parent.used).toMatchObject({ cost: 1.5, turns: 0 });
  expect(child.over(priced)).toMatchObject({ code: 'cost_limit' });
  now = 400;
  expect(child.timeLeftMs()).toBe(600);
  child.turnBegins();
  expect(child.over(priced)).toMatchObject({ code: 'turn_limit' });
});

test('what waits in the queue when a limit is met stays there', async () => {
  const steering: string[] = [];
  const { end, kept } = await run({
    replies: [asks(call('c1', 'a')), speaks('never')],
    tools: {
      a: async () => {
        steering.push('faster');
        return ok('');
      },
    },
    steering,
    limit: (turns) => (turns >= 1 ? 'used up' : undefined),
  });
  expect(end).toEqual({ status: 'limit', turns: 1, failure: 'used up' });
  expect(steering).toEqual(['faster']);
  expect(kept.map(wordsOf)).toEqual(['go', 'toolCall', '']);
  expectPaired(kept);
});
