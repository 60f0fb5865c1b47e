import { type AgentEvent, agentEnd, agentSessions, turnStart } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { calls, openSession, says, textsOf, toolPlugin } from './test/fakes.ts';

const typesOf = (events: readonly AgentEvent[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type !== 'entry_appended' && type !== 'message_update');

test('an abort ends the run, hands the queue back, and leaves nothing for the next prompt', async () => {
  await using s = await openSession([
    async function* () {
      yield { type: 'text_start', contentIndex: 0 };
      yield { type: 'text_delta', contentIndex: 0, delta: 'I was' };
      s.session.sendMessage('stale', { as: 'steer' });
      s.session.sendMessage('stale too', { as: 'followUp' });
      s.session.abort();
      await new Promise(() => {});
    },
    says('fresh'),
  ]);
  expect(await s.session.prompt({ text: 'a' })).toMatchObject({ status: 'aborted', text: 'I was', error: undefined });
  expect(s.events.at(-1)).toEqual({ type: 'agent_settled', aborted: true });
  expect(s.events).toContainEqual({
    type: 'queue_update',
    interrupt: [],
    steering: ['stale'],
    followUp: ['stale too'],
  });
  expect(s.events.filter(({ type }) => type === 'queue_update').at(-1)).toEqual({
    type: 'queue_update',
    interrupt: [],
    steering: [],
    followUp: [],
  });
  expect(s.session.isIdle()).toBe(true);
  await s.session.prompt({ text: 'b' });
  expect(textsOf(s.requests[1]?.messages ?? [])).toEqual(['a', 'I was', 'b']);
});

test('steering goes between turns, a follow-up at the end, and what is for the next prompt rides along with it', async () => {
  const steer = definePlugin({
    id: 'steerer',
    setup: (ctx) =>
      ctx.tap(turnStart, ({ turnIndex }) => {
        if (turnIndex !== 0) return;
        ctx.session.sendMessage('steered', { as: 'steer' });
        ctx.session.sendMessage('followed', { as: 'followUp' });
        ctx.session.sendMessage('noted', { as: 'nextTurn' });
      }),
  });
  await using s = await openSession([calls(['c1', 'a']), says('1'), says('2'), says('3'), says('4'), says('5')], {
    plugins: [toolPlugin('a', 'ok'), steer],
  });
  await s.session.prompt({ text: 'go' });
  expect(textsOf(s.session.messages())).toEqual(['go', 'toolCall', 'ok', 'steered', '1', 'followed', '2']);
  await s.session.prompt({ text: 'next' });
  expect(textsOf(s.session.messages()).slice(7, 9)).toEqual(['noted', 'next']);
});

test('a message sent while nothing runs starts a run, and a second prompt at the same time is refused', async () => {
  await using s = await openSession([says('one'), says('two')]);
  s.session.sendMessage('by itself');
  expect(s.session.isIdle()).toBe(false);
  await expect(s.session.prompt({ text: 'at once' })).rejects.toMatchObject({ code: 'run_in_progress' });
  await s.session.waitForIdle();
  expect(textsOf(s.session.messages())).toEqual(['by itself', 'one']);
});

test('a follow-up that comes with the very end of a run is still said', async () => {
  let once = true;
  const nagging = definePlugin({
    id: 'nagging',
    setup: (ctx) =>
      ctx.tap(agentEnd, () => {
        if (!once) return;
        once = false;
        ctx.session.sendMessage('are you sure?', { as: 'followUp' });
      }),
  });
  await using s = await openSession([says('done'), says('sure')], { plugins: [nagging] });
  expect(await s.session.prompt({ text: 'go' })).toMatchObject({ text: 'sure', turns: 2 });
  expect(typesOf(s.events).filter((type) => type.startsWith('agent'))).toEqual([
    'agent_start',
    'agent_end',
    'agent_start',
    'agent_end',
    'agent_settled',
  ]);
});

test('what a plugin says is kept as its own message, in every lane', async () => {
  await using s = await openSession([says('one'), says('two')]);
  const custom = { customType: 'weather', display: false, details: { degrees: 20 } };
  s.session.steer({ text: 'it is warm', custom });
  await s.session.waitForIdle();
  expect(s.session.messages()[0]).toMatchObject({ role: 'custom', ...custom });
  s.session.note({ text: 'and dry', custom });
  await s.session.prompt({ text: 'go on' });
  expect(textsOf(s.session.messages())).toEqual(['it is warm', 'one', 'and dry', 'go on', 'two']);
});

test('the sessions that are open can be listed, and one that was left is not among them', async () => {
  await using s = await openSession([]);
  const other = await s.reopen();
  const open = (): readonly string[] =>
    s.view
      .service(agentSessions)
      .open()
      .map(({ id }) => id);
  expect(open()).toEqual([s.session.id, other.id]);
  await other[Symbol.asyncDispose]();
  expect(open()).toEqual([s.session.id]);
});
