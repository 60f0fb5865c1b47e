import { readFileSync } from 'node:fs';
import {
  type AgentEvent,
  type AgentSession,
  agentEnd,
  agentSessions,
  agentStart,
  compactionEnd,
  compactionStart,
  entryAppended,
  modelSelect,
  queueChanged,
  type SessionOptions,
  sessionBeforeBranch,
  sessionBeforeCompact,
  sessionBeforeSwitch,
  sessionBeforeTree,
  sessionBranch,
  sessionCompact,
  sessionShutdown,
  sessionStart,
  sessionSwitch,
  sessionTree,
  thinkingSelect,
} from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { bootKern, script, type TestKern } from 'kern/testing';
import { expect, test } from 'vitest';

const words = 'many words '.repeat(200);

/** Writes down what a plugin is told, the session by its place among all that were seen. */
function recorder(log: string[]): PluginDefinition {
  const seen: string[] = [];
  const nth = (id: string): string => {
    if (!seen.includes(id)) seen.push(id);
    return `#${seen.indexOf(id) + 1}`;
  };
  return definePlugin({
    id: 'recorder',
    setup: (ctx) => {
      ctx.tap(sessionStart, ({ sessionId, reason }) => void log.push(`session.start ${nth(sessionId)} ${reason}`));
      ctx.tap(
        sessionShutdown,
        ({ sessionId, reason }) => void log.push(`session.shutdown ${nth(sessionId)} ${reason}`),
      );
      ctx.tap(sessionBeforeSwitch, ({ reason }) => void log.push(`session.before-switch ${reason}`));
      ctx.tap(sessionBeforeBranch, () => void log.push('session.before-branch'));
      ctx.tap(sessionBeforeTree, () => void log.push('session.before-tree'));
      ctx.tap(sessionBeforeCompact, ({ reason }) => void log.push(`session.before-compact ${reason}`));
      ctx.tap(sessionSwitch, ({ sessionId, reason }) => void log.push(`session.switch ${nth(sessionId)} ${reason}`));
      ctx.tap(sessionBranch, ({ sessionId }) => void log.push(`session.branch ${nth(sessionId)}`));
      ctx.tap(sessionTree, () => void log.push('session.tree'));
      ctx.tap(sessionCompact, ({ reason }) => void log.push(`session.compact ${reason}`));
      ctx.tap(compactionStart, ({ reason }) => void log.push(`compaction.start ${reason}`));
      ctx.tap(compactionEnd, ({ error }) => void log.push(`compaction.end ${error ?? 'well'}`));
      ctx.tap(queueChanged, ({ followUp }) => void log.push(`queue.changed ${followUp.length}`));
      ctx.tap(modelSelect, ({ reason }) => void log.push(`model.select ${reason ?? 'chosen'}`));
      ctx.tap(thinkingSelect, ({ thinking }) => void log.push(`thinking.select ${thinking}`));
      ctx.tap(agentStart, () => void log.push('agent.start'));
      ctx.tap(agentEnd, ({ status }) => void log.push(`agent.end ${status}`));
    },
  });
}

async function house(plugins: readonly PluginDefinition[]): Promise<TestKern> {
  return bootKern(plugins, {
    config: { agent: { title: { enabled: false }, compaction: { keepRecentTokens: 100 } } },
  });
}

async function open(t: TestKern, options: Partial<SessionOptions>): Promise<AgentSession> {
  await t.view.use(agentSessions).load();
  return t.view.service(agentSessions).create({ cwd: t.dir, view: t.view, tools: [], ...options });
}

const userIds = (session: AgentSession): readonly string[] =>
  session.nodes().flatMap(({ id }) => {
    const entry = session.entry(id);
    return entry?.type === 'message' && entry.message.role === 'user' ? [id] : [];
  });

test('over a whole life every hook is told once, in order', async () => {
  using replies = script({
    version: 1,
    model: { reasoning: true },
    turns: ['one', 'two', 'three', 'four', 'five', 'six'].map((text) => ({ text: `${text} ${words}` })),
  });
  const log: string[] = [];
  await using t = await house([recorder(log)]);
  const steps: Record<string, readonly string[]> = {};
  const step = async <T>(name: string, act: () => T): Promise<Awaited<T>> => {
    const from = log.length;
    const answer = await act();
    steps[name] = log.slice(from);
    return answer;
  };
  const session = await step('new', () => open(t, { model: replies.model }));
  await step('prompt', () => session.prompt({ text: 'a' }));
  await step('queue', async () => {
    session.subscribe((event) => {
      if (event.type === 'agent_start' && session.queue().followUp.length === 0 && log.at(-1) === 'agent.start')
        session.followUp({ text: 'c' });
    });
    await session.prompt({ text: 'b' });
  });
  await step('settings', () => session.setThinking('high'));
  await step('compact', () => session.compact());
  const [first = '', second = ''] = userIds(session);
  await step('navigate', () => session.navigateTree(second));
  await step('fork', () => session.fork());
  const forked = session.id;
  await step('branch', () => session.branch(userIds(session)[0] ?? first));
  await step('empty', () => session.newSession());
  await step('switch', () => session.switchSession(forked));
  await step('quit', () => session[Symbol.asyncDispose]());
  expect(steps).toEqual({
    new: ['session.start #1 startup'],
    prompt: ['agent.start', 'agent.end ok'],
    queue: ['agent.start', 'queue.changed 1', 'queue.changed 0', 'agent.end ok'],
    settings: ['thinking.select high'],
    compact: [
      'compaction.start manual',
      'session.before-compact manual',
      'session.compact manual',
      'compaction.end well',
    ],
    navigate: ['session.before-tree', 'session.tree'],
    fork: ['session.before-switch fork', 'session.shutdown #1 fork', 'session.switch #2 fork', 'session.start #2 fork'],
    branch: ['session.before-branch', 'session.shutdown #2 branch', 'session.branch #3', 'session.start #3 branch'],
    empty: ['session.before-switch new', 'session.shutdown #3 new', 'session.switch #4 new', 'session.start #4 new'],
    switch: [
      'session.before-switch resume',
      'session.shutdown #4 resume',
      'session.switch #2 resume',
      'session.start #2 resume',
    ],
    quit: ['session.shutdown #2 quit'],
  });
});

test('every entry is told once, after it is in its file, also across a fork and a switch back', async () => {
  using replies = script(['one', 'two', 'three'].map((text) => ({ text })));
  const missing: string[] = [];
  const told: string[] = [];
  let file: () => string | undefined = () => undefined;
  const reader = definePlugin({
    id: 'reader',
    setup: (ctx) =>
      ctx.tap(entryAppended, ({ entry }) => {
        told.push(entry.id);
        const path = file();
        if (path !== undefined && !readFileSync(path, 'utf8').includes(`"id":"${entry.id}"`)) missing.push(entry.type);
      }),
  });
  await using t = await house([reader]);
  await using session = await open(t, { model: replies.model });
  file = () => session.file;
  await session.prompt({ text: 'a' });
  const first = session.file ?? '';
  await session.fork();
  const second = session.file ?? '';
  expect(second).not.toBe(first);
  await session.prompt({ text: 'b' });
  await session.switchSession(first);
  await session.prompt({ text: 'c' });
  expect(missing).toEqual([]);
  expect(new Set(told).size).toBe(told.length);
  const asked = (path: string): string => (readFileSync(path, 'utf8').match(/"text":"[abc]"/g) ?? []).join();
  expect(asked(first)).toBe('"text":"a","text":"c"');
  expect(asked(second)).toBe('"text":"a","text":"b"');
});

test('a conversation goes on in another process as if it had never ended', async () => {
  using replies = script(['one', 'two', 'three'].map((text) => ({ text })));
  const seen: AgentEvent[] = [];
  await using t = await house([]);
  let file = '';
  {
    await using session = await open(t, { model: replies.model });
    await session.prompt({ text: 'a', files: [{ path: 'x', content: 'in x' }] });
    session.setName('Ships');
    session.setLabel(userIds(session)[0] ?? '', 'here');
    file = session.file ?? '';
  }
  await using session = await open(t, { resume: { latest: true } });
  session.subscribe((event) => seen.push(event));
  expect(session.file).toBe(file);
  expect(session.name).toBe('Ships');
  expect(session.label(userIds(session)[0] ?? '')).toBe('here');
  expect(session.currentModel.id).toBe(replies.model);
  expect(session.messages().map(({ role }) => role)).toEqual(['custom', 'user', 'assistant']);
  expect(await session.prompt({ text: 'b' })).toMatchObject({ text: 'two' });
  expect(seen.some(({ type }) => type === 'session_repaired' || type === 'session_busy')).toBe(false);
  // Nothing is written that the file says already.
  const types = readFileSync(file, 'utf8').match(/"type":"(model_change|thinking_level_change)"/g);
  expect(types).toHaveLength(2);
});

test('what is kept nowhere can be forked, branched and left, too; so can a session in which nothing was said', async () => {
  using replies = script(['one', 'two'].map((text) => ({ text })));
  await using t = await house([]);
  for (const persist of [true, false]) {
    await using session = await open(t, { model: replies.model, persist });
    expect(await session.fork()).toEqual({ done: true });
    await session.prompt({ text: 'a' });
    expect(session.file === undefined).toBe(!persist);
    expect(await session.fork()).toEqual({ done: true });
    expect(session.messages()).toHaveLength(2);
    expect(await session.branch(userIds(session)[0] ?? '')).toEqual({ done: true, text: 'a' });
    expect(session.messages()).toEqual([]);
    expect(await session.newSession()).toEqual({ done: true });
    expect(session.file === undefined).toBe(!persist);
  }
});
