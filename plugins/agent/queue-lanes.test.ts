import type { AgentEvent, Message } from 'kern/contracts';
import { queueChanged } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { calls, openSession, type Reply, says, textsOf, toolPlugin } from './test/fakes.ts';
import { expectPaired } from './test/world.ts';

/** Says a beginning and then nothing more, until it is stopped. */
const hangs = (text: string, begun: () => void): Reply =>
  async function* () {
    yield { type: 'text_start', contentIndex: 0 };
    yield { type: 'text_delta', contentIndex: 0, delta: text };
    begun();
    await new Promise(() => {});
  };

/** A tool that only ends when it is stopped. */
const stopped = (signal: AbortSignal): Promise<string> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('Command interrupted')), { once: true });
  });

const gate = (): { readonly opened: Promise<void>; open(): void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
};

const userTexts = (messages: readonly Message[]): readonly string[] =>
  textsOf(messages.filter(({ role }) => role === 'user'));

test('an interrupt stops the reply, keeps its text, and is said in the same run', async () => {
  const begun = gate();
  await using s = await openSession([hangs('I was about', begun.open), says('now this')]);
  const run = s.session.prompt({ text: 'a' });
  await begun.opened;
  s.session.interrupt({ text: 'stop, rather b' });
  expect(await run).toMatchObject({ status: 'ok', text: 'now this', turns: 2 });
  expect(textsOf(s.requests[1]?.messages ?? [])).toEqual(['a', 'I was about', 'stop, rather b']);
  expect(s.session.messages()[1]).toMatchObject({ stopReason: 'aborted' });
  expect(s.events.filter(({ type }) => type === 'agent_end')).toHaveLength(1);
});

test('an interrupt keeps the tools that have finished, and the calls it stops are answered', async () => {
  const begun = gate();
  const slow = toolPlugin('slow', (signal) => {
    begun.open();
    return stopped(signal);
  });
  await using s = await openSession([calls(['c1', 'quick'], ['c2', 'slow'], ['c3', 'quick']), says('b it is')], {
    plugins: [toolPlugin('quick', 'fine'), slow],
    boot: { settings: { 'tools.execution': 'sequential' } },
  });
  const run = s.session.prompt({ text: 'a' });
  await begun.opened;
  s.session.interrupt({ text: 'b' });
  expect(await run).toMatchObject({ status: 'ok', text: 'b it is' });
  const asked = s.requests[1]?.messages ?? [];
  expectPaired(asked);
  const results = asked.flatMap((message) =>
    message.role === 'toolResult' ? [[message.isError, textsOf([message])[0]]] : [],
  );
  expect(results).toEqual([
    [false, 'fine'],
    [true, expect.stringContaining('aborted')],
    [true, expect.stringContaining('interrupted')],
  ]);
  expect(textsOf(asked).at(-1)).toBe('b');
});

test('an interrupt is said before what steers, and before what follows', async () => {
  const begun = gate();
  await using s = await openSession([hangs('hm', begun.open), says('1'), says('2'), says('3')]);
  const run = s.session.prompt({ text: 'a' });
  await begun.opened;
  s.session.followUp({ text: 'followed' });
  s.session.steer({ text: 'steered' });
  s.session.interrupt({ text: 'interrupted' });
  await run;
  expect(userTexts(s.session.messages())).toEqual(['a', 'interrupted', 'steered', 'followed']);
});

test('while nothing runs an interrupt starts a run', async () => {
  await using s = await openSession([says('one')]);
  s.session.interrupt({ text: 'a' });
  await s.session.waitForIdle();
  expect(textsOf(s.session.messages())).toEqual(['a', 'one']);
});

test('an abort with two that steer and one that follows: no further turn, all handed back, the next prompt goes alone', async () => {
  const begun = gate();
  const bash = toolPlugin('bash', (signal) => {
    begun.open();
    return stopped(signal);
  });
  await using s = await openSession([calls(['c1', 'bash'], ['c2', 'bash']), says('fresh'), says('no more')], {
    plugins: [bash],
  });
  const run = s.session.prompt({ text: 'a' });
  await begun.opened;
  s.session.steer({ text: 'STEER1' });
  s.session.steer({ text: 'STEER2' });
  s.session.followUp({ text: 'FOLLOW' });
  expect(s.session.queue()).toEqual({ interrupt: [], steering: ['STEER1', 'STEER2'], followUp: ['FOLLOW'] });
  expect(s.session.abort()).toEqual({ interrupt: [], steering: ['STEER1', 'STEER2'], followUp: ['FOLLOW'] });
  expect(await run).toMatchObject({ status: 'aborted', turns: 1 });
  expect(s.session.queue()).toEqual({ interrupt: [], steering: [], followUp: [] });
  expect(s.session.isIdle()).toBe(true);
  expect(s.requests).toHaveLength(1);
  await s.session.prompt({ text: 'b' });
  expect(userTexts(s.requests[1]?.messages ?? [])).toEqual(['a', 'b']);
  expectPaired(s.requests[1]?.messages ?? []);
  await s.session.waitForIdle();
  expect(s.requests).toHaveLength(2);
});

test('what comes while an aborted run winds down starts nothing, and rides along with the next prompt', async () => {
  const begun = gate();
  const late = toolPlugin('late', async () => {
    begun.open();
    await new Promise((resolve) => setTimeout(resolve, 20));
    s.session.sendMessage('the job has ended');
    return 'never read';
  });
  await using s = await openSession([calls(['c1', 'late']), says('fresh')], { plugins: [late] });
  const run = s.session.prompt({ text: 'a' });
  await begun.opened;
  s.session.abort();
  expect(await run).toMatchObject({ status: 'aborted' });
  expect(s.session.isIdle()).toBe(true);
  await s.session.prompt({ text: 'b' });
  expect(textsOf(s.requests[1]?.messages ?? []).slice(-2)).toEqual(['the job has ended', 'b']);
  expect(s.session.messages().at(-3)).toMatchObject({ role: 'custom', customType: 'kern.note' });
});

test('what steers comes after all calls of a reply, not between them', async () => {
  const steering = toolPlugin('steering', () => {
    s.session.steer({ text: 'steered' });
    return 'ok';
  });
  await using s = await openSession([calls(['c1', 'steering'], ['c2', 'other']), says('done')], {
    plugins: [steering, toolPlugin('other', 'fine')],
    boot: { settings: { 'tools.execution': 'sequential' } },
  });
  await s.session.prompt({ text: 'a' });
  expect(textsOf(s.requests[1]?.messages ?? []).slice(-3)).toEqual(['ok', 'fine', 'steered']);
});

test('queues say one at a time, or all at once, by their settings', async () => {
  const boot = { config: { agent: { steeringMode: 'all', followUpMode: 'one-at-a-time' } } };
  const begun = gate();
  const wait = toolPlugin('wait', async () => {
    begun.open();
    await sent.opened;
    return 'ok';
  });
  const sent = gate();
  await using s = await openSession([calls(['c1', 'wait']), says('1'), says('2'), says('3')], {
    plugins: [wait],
    boot,
  });
  const run = s.session.prompt({ text: 'a' });
  await begun.opened;
  for (const text of ['s1', 's2']) s.session.steer({ text });
  for (const text of ['f1', 'f2']) s.session.followUp({ text });
  sent.open();
  await run;
  expect(s.requests.map(({ messages }) => userTexts(messages).length)).toEqual([1, 3, 4, 5]);
});

test('images and files come with what is queued, and the queue is told by its texts', async () => {
  const begun = gate();
  const told: unknown[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) => ctx.tap(queueChanged, (texts) => void told.push(texts)),
  });
  await using s = await openSession([hangs('hm', begun.open), says('seen')], { plugins: [listener] });
  const run = s.session.prompt({ text: 'a' });
  await begun.opened;
  const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
  s.session.interrupt({ text: 'look', images: [image], files: [{ path: 'a.txt', content: 'the content' }] });
  await run;
  const [mention, user] = s.requests[1]?.messages.slice(-2) ?? [];
  expect(mention).toMatchObject({ role: 'custom', customType: 'kern.file-mention' });
  expect(textsOf(mention === undefined ? [] : [mention])[0]).toContain('the content');
  expect(user).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'look' }, image] });
  expect(told).toEqual([
    { interrupt: ['look'], steering: [], followUp: [] },
    { interrupt: [], steering: [], followUp: [] },
  ]);
  expect(s.events.filter((event: AgentEvent) => event.type === 'queue_update')).toHaveLength(2);
});

test('files of a prompt are kept as a message of their own, before the words', async () => {
  await using s = await openSession([says('read')]);
  await s.session.prompt({ text: 'explain', files: [{ path: 'notes "1".md', content: 'some notes' }] });
  const kept = s.session.nodes().map(({ id }) => s.session.entry(id));
  const at = kept.findIndex((entry) => entry?.type === 'message' && entry.message.role === 'fileMention');
  expect(kept[at]).toMatchObject({ message: { files: [{ path: 'notes "1".md', content: 'some notes' }] } });
  expect(kept[at + 1]).toMatchObject({ message: { role: 'user' } });
  expect(textsOf(s.requests[0]?.messages ?? [])).toEqual([expect.stringContaining('some notes'), 'explain']);
  // Read again, it is the same to the byte.
  const again = [...s.stored.values()][0]?.context().messages[0]?.message;
  expect(again?.content).toEqual(s.requests[0]?.messages[0]?.content);
});

test('what was queued when a request failed waits, is told as waiting, and comes with the next prompt', async () => {
  await using s = await openSession([
    async function* () {
      s.session.steer({ text: 'use b' });
      yield* [];
      throw Object.assign(new Error('no key'), { code: 'model_unauthorized' });
    },
    says('fine'),
  ]);
  expect(await s.session.prompt({ text: 'a' })).toMatchObject({ status: 'error' });
  expect(s.session.queue().steering).toEqual(['use b']);
  await s.session.prompt({ text: 'go on' });
  expect(userTexts(s.requests[1]?.messages ?? [])).toEqual(['a', 'go on', 'use b']);
});
