import {
  type AgentEvent,
  type SessionEntry,
  sessionBeforeBranch,
  sessionBeforeSwitch,
  sessionBranch,
  sessionShutdown,
  sessionStart,
  sessionSwitch,
} from 'kern/contracts';
import { definePlugin, type SessionHandle } from 'kern/plugin';
import { expect, test } from 'vitest';
import { calls, fakeModel, openSession, says, textsOf, toolPlugin } from './test/fakes.ts';

const userEntries = (entries: readonly unknown[]): readonly SessionEntry[] =>
  (entries as readonly SessionEntry[]).filter((entry) => entry.type === 'message' && entry.message.role === 'user');

/** Answers as the calls ask, and keeps a handle as a plugin would. */
function keeper(): { readonly plugin: ReturnType<typeof definePlugin>; handle?: SessionHandle } {
  const kept: { plugin: ReturnType<typeof definePlugin>; handle?: SessionHandle } = {
    plugin: definePlugin({
      id: 'keeper',
      setup: (ctx) =>
        ctx.tap(sessionStart, () => {
          kept.handle ??= ctx.session;
        }),
    }),
  };
  return kept;
}

test('a new session is empty, goes on with the model and the level, and the old handle is stale', async () => {
  const kept = keeper();
  await using s = await openSession([says('one'), says('two')], { plugins: [kept.plugin], persist: true });
  await s.session.prompt({ text: 'a' });
  s.session.setThinking('low');
  const before = s.session.id;
  expect(await s.session.newSession()).toEqual({ done: true });
  expect(s.session.id).not.toBe(before);
  expect(s.session.messages()).toEqual([]);
  expect(s.session.thinking()).toBe('low');
  expect(() => kept.handle?.isIdle()).toThrow(expect.objectContaining({ code: 'stale_session' }));
  expect(s.view.session?.id).toBe(s.session.id);
  await s.session.prompt({ text: 'b' });
  expect(textsOf(s.requests[1]?.messages ?? [])).toEqual(['b']);
  const types = s.stored
    .get(s.session.file ?? '')
    ?.nodes()
    .map(({ type }) => type);
  expect(types?.slice(0, 2)).toEqual(['model_change', 'thinking_level_change']);
  expect(s.stored.get(`${s.t.dir}/${before}.jsonl`)?.closed).toBe(1);
});

test('a switch ends what runs, goes on where the other session was, and says so', async () => {
  let release: (() => void) | undefined;
  await using s = await openSession(
    [
      says('one'),
      async function* () {
        yield { type: 'text_start', contentIndex: 0 };
        release?.();
        await new Promise(() => {});
      },
      says('three'),
    ],
    { persist: true },
  );
  const first = s.session.id;
  await s.session.prompt({ text: 'a' });
  await s.session.newSession();
  const running = new Promise<void>((resolve) => {
    release = resolve;
  });
  const run = s.session.prompt({ text: 'b' });
  await running;
  s.session.followUp({ text: 'never said' });
  expect(await s.session.switchSession(first)).toEqual({ done: true });
  expect(await run).toMatchObject({ status: 'aborted' });
  expect(s.session.isIdle()).toBe(true);
  expect(textsOf(s.session.messages())).toEqual(['a', 'one']);
  expect(s.events.findLast(({ type }) => type === 'session_switched')).toEqual({
    type: 'session_switched',
    reason: 'resume',
    sessionId: first,
    sessionFile: `${s.t.dir}/${first}.jsonl`,
  });
  await s.session.prompt({ text: 'c' });
  expect(textsOf(s.requests[2]?.messages ?? [])).toEqual(['a', 'one', 'c']);
});

test('a session that cannot be opened leaves the session where it was, with its run ended', async () => {
  await using s = await openSession([says('one'), says('two')], { persist: true });
  await s.session.prompt({ text: 'a' });
  const { id } = s.session;
  await expect(s.session.switchSession('nowhere')).rejects.toMatchObject({ code: 'session_not_found' });
  expect(s.session.id).toBe(id);
  expect(await s.session.prompt({ text: 'b' })).toMatchObject({ text: 'two' });
});

test('a switch to the session itself changes nothing', async () => {
  await using s = await openSession([says('one')], { persist: true });
  await s.session.prompt({ text: 'a' });
  expect(await s.session.switchSession(s.session.id)).toEqual({ done: true });
  expect(s.events.some(({ type }) => type === 'session_switched')).toBe(false);
});

test('a plugin may refuse a switch and a branch, and what runs is not ended for it', async () => {
  const refuser = definePlugin({
    id: 'refuser',
    setup: (ctx) => {
      ctx.tap(sessionBeforeSwitch, ({ reason }) => (reason === 'new' ? { refuse: 'not yet' } : undefined));
      ctx.tap(sessionBeforeBranch, () => {
        throw new Error('broken');
      });
    },
  });
  await using s = await openSession([says('one')], { plugins: [refuser] });
  await s.session.prompt({ text: 'a' });
  const { id } = s.session;
  expect(await s.session.newSession()).toEqual({ done: false, reason: 'not yet' });
  const [user] = userEntries(s.session.nodes());
  expect(await s.session.branch(user?.id ?? '')).toMatchObject({ done: false });
  expect(s.session.id).toBe(id);
  expect(await s.session.fork()).toEqual({ done: true });
});

test('a fork goes on in a copy, and what is said there is not in the first', async () => {
  await using s = await openSession([says('one'), says('two')], { persist: true });
  await s.session.prompt({ text: 'a' });
  const { file } = s.session;
  await s.session.fork();
  expect(s.session.file).not.toBe(file);
  expect(s.session.header.parentSession).toBe(file);
  expect(textsOf(s.session.messages())).toEqual(['a', 'one']);
  await s.session.prompt({ text: 'b' });
  expect(textsOf(s.requests[1]?.messages ?? [])).toEqual(['a', 'one', 'b']);
  expect(userEntries(s.stored.get(file ?? '')?.nodes() ?? [])).toHaveLength(1);
});

test('a branch begins before a message of the person, whose words are handed back', async () => {
  await using s = await openSession([says('one'), says('two'), says('three')], { persist: true });
  await s.session.prompt({ text: 'a' });
  await s.session.prompt({ text: 'b' });
  const [, second] = userEntries(s.session.nodes());
  expect(await s.session.branch(second?.id ?? '')).toEqual({ done: true, text: 'b' });
  expect(textsOf(s.session.messages())).toEqual(['a', 'one']);
  await s.session.prompt({ text: 'b2' });
  expect(textsOf(s.requests[2]?.messages ?? [])).toEqual(['a', 'one', 'b2']);
});

test('a branch at the first message begins empty, and only messages of the person can be branched at', async () => {
  await using s = await openSession([says('one'), says('two')]);
  await s.session.prompt({ text: 'a' });
  await expect(s.session.branch('99')).rejects.toMatchObject({ code: 'entry_unknown' });
  const reply = s.session.nodes().findLast(({ type }) => type === 'message');
  await expect(s.session.branch(reply?.id ?? '')).rejects.toMatchObject({ code: 'entry_not_user' });
  const [first] = userEntries(s.session.nodes());
  expect(await s.session.branch(first?.id ?? '')).toEqual({ done: true, text: 'a' });
  expect(s.session.messages()).toEqual([]);
});

test('the model of the session is taken up again; one that is gone falls back, and that is said and written', async () => {
  const other = fakeModel({ id: 'fake/other', model: 'other' });
  const known = [fakeModel(), other];
  await using s = await openSession([says('one'), says('two'), says('three')], { persist: true, models: known });
  const first = s.session.id;
  await s.session.setModel('fake/other');
  await s.session.prompt({ text: 'a' });
  await s.session.newSession();
  await s.session.setModel('fake/m');
  await s.session.prompt({ text: 'b' });
  await s.session.switchSession(first);
  expect(s.session.model()).toEqual({ id: 'fake/other' });
  await s.session.newSession();
  await s.session.setModel('fake/m');
  known.pop();
  await s.session.switchSession(first);
  expect(s.session.model()).toEqual({ id: 'fake/m' });
  const said = s.events.findLast((event) => event.type === 'model_changed');
  expect(said).toMatchObject({ model: 'fake/m', reason: expect.stringContaining('fake/other') });
  const written = s.stored
    .get(s.session.file ?? '')
    ?.entries()
    .at(-1);
  expect(written).toMatchObject({ type: 'model_change', modelId: 'm' });
});

test('a session without a thinking level gets that of the settings, as far as its model can, as an entry', async () => {
  await using s = await openSession([says('one')], { persist: true, boot: { settings: { thinking: 'max' } } });
  const { file } = s.session;
  await s.session.newSession();
  const bare = s.stored.get(s.session.file ?? '');
  await s.session.switchSession(file ?? '');
  s.session.setThinking('low');
  // As if another program had written it.
  bare?.forget('thinking_level_change');
  await s.session.switchSession(bare?.file ?? '');
  expect(s.session.thinking()).toBe('high');
  expect(bare?.entries().at(-1)).toMatchObject({ type: 'thinking_level_change', thinkingLevel: 'high' });
});

test('inside a run, and inside a change, the controls refuse: they would wait for themselves', async () => {
  const seen: unknown[] = [];
  const inside = definePlugin({
    id: 'inside',
    setup: (ctx) => {
      ctx.tap(sessionStart, async ({ reason }) => {
        if (reason === 'new') await ctx.session.fork().catch((error: unknown) => seen.push(error));
      });
    },
  });
  const asks: (() => Promise<unknown>)[] = [];
  const tool = toolPlugin('ask', async () => {
    for (const ask of asks) await ask().catch((error: unknown) => seen.push(error));
    return 'asked';
  });
  await using s = await openSession([calls(['c1', 'ask']), says('done')], { plugins: [inside, tool] });
  const { session } = s;
  asks.push(
    () => session.waitForIdle(),
    () => session.newSession(),
    () => session.fork(),
    () => session.branch('1'),
    () => session.navigateTree(null),
    () => session.switchSession('x'),
    () => session.compactWith(),
    () => session.reload(),
  );
  await session.prompt({ text: 'go' });
  expect(seen).toHaveLength(asks.length);
  await session.newSession();
  expect(seen).toHaveLength(asks.length + 1);
  for (const error of seen) expect(error).toMatchObject({ code: 'session_in_run' });
});

test('a listener is outside of the run that it hears of: what it begins waits for the end of it', async () => {
  await using s = await openSession([says('one')], {});
  let switched: Promise<unknown> | undefined;
  s.session.subscribe((event: AgentEvent) => {
    if (event.type === 'agent_start') switched ??= s.session.newSession();
  });
  expect(await s.session.prompt({ text: 'a' })).toMatchObject({ status: 'aborted' });
  expect(await switched).toEqual({ done: true });
  expect(s.session.messages()).toEqual([]);
});

test('what is sent while the session changes is said in the one it changes to, and a prompt waits for it', async () => {
  let session: { sendMessage(text: string): void } | undefined;
  const sender = definePlugin({
    id: 'sender',
    setup: (ctx) =>
      ctx.tap(sessionStart, ({ reason }) => {
        if (reason === 'new') session?.sendMessage('from the start');
      }),
  });
  await using s = await openSession([says('one'), says('two')], { plugins: [sender] });
  session = s.session;
  await s.session.newSession();
  await s.session.waitForIdle();
  expect(textsOf(s.session.messages())).toEqual(['from the start', 'one']);
  const change = s.session.fork();
  const result = await s.session.prompt({ text: 'next' });
  expect(result).toMatchObject({ text: 'two' });
  expect(await change).toEqual({ done: true });
});

test('what is sent while a plugin still decides about a switch is said when it has refused it', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const slow = definePlugin({
    id: 'slow',
    setup: (ctx) =>
      ctx.tap(sessionBeforeSwitch, async () => {
        asked.resolve();
        await answer.promise;
        return { refuse: 'no' };
      }),
  });
  await using s = await openSession([says('one')], { plugins: [slow] });
  const change = s.session.newSession();
  await asked.promise;
  s.session.steer({ text: 'meanwhile' });
  expect(s.requests).toHaveLength(0);
  answer.resolve();
  expect(await change).toEqual({ done: false, reason: 'no' });
  await s.session.waitForIdle();
  expect(textsOf(s.session.messages())).toEqual(['meanwhile', 'one']);
});

test('a session that cannot be read is closed again, and the one before goes on', async () => {
  await using s = await openSession([says('one'), says('two'), says('three')], { persist: true });
  await s.session.prompt({ text: 'a' });
  const { id, file = '' } = s.session;
  await s.session.newSession();
  await s.session.prompt({ text: 'b' });
  const broken = s.stored.get(file);
  broken?.change(() => {
    throw new Error('unreadable');
  });
  const closed = broken?.closed ?? 0;
  await expect(s.session.switchSession(id)).rejects.toThrow('unreadable');
  expect(broken?.closed).toBe(closed + 1);
  expect(await s.session.prompt({ text: 'c' })).toMatchObject({ text: 'three' });
  expect(textsOf(s.requests[2]?.messages ?? [])).toEqual(['b', 'two', 'c']);
});

test('changes that are asked for at the same time go one after the other', async () => {
  await using s = await openSession([says('one')]);
  const ids: string[] = [];
  s.session.subscribe((event) => {
    if (event.type === 'session_switched') ids.push(event.sessionId);
  });
  await Promise.all([s.session.newSession(), s.session.newSession(), s.session.fork()]);
  expect(ids).toEqual(['s2', 's3', 's4']);
});

test('the hooks of a switch are told once each, in order: the old session ends before the new one starts', async () => {
  const log: string[] = [];
  const recorder = definePlugin({
    id: 'recorder',
    setup: (ctx) => {
      ctx.tap(sessionStart, ({ sessionId, reason }) => void log.push(`start ${sessionId} ${reason}`));
      ctx.tap(sessionShutdown, ({ sessionId, reason }) => void log.push(`shutdown ${sessionId} ${reason}`));
      ctx.tap(sessionBeforeSwitch, ({ sessionId, reason }) => void log.push(`before-switch ${sessionId} ${reason}`));
      ctx.tap(sessionBeforeBranch, ({ sessionId }) => void log.push(`before-branch ${sessionId}`));
      ctx.tap(
        sessionSwitch,
        ({ sessionId, previous, reason }) => void log.push(`switch ${previous} ${sessionId} ${reason}`),
      );
      ctx.tap(sessionBranch, ({ sessionId, previous }) => void log.push(`branch ${previous} ${sessionId}`));
    },
  });
  {
    await using s = await openSession([says('one')], { plugins: [recorder] });
    await s.session.prompt({ text: 'a' });
    await s.session.fork();
    const [user] = userEntries(s.session.nodes());
    await s.session.branch(user?.id ?? '');
  }
  expect(log).toEqual([
    ...['start s1 startup'],
    ...['before-switch s1 fork', 'shutdown s1 fork', 'switch s1 s2 fork', 'start s2 fork'],
    ...['before-branch s2', 'shutdown s2 branch', 'branch s2 s3', 'start s3 branch'],
    ...['shutdown s3 quit'],
  ]);
});
