import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentEvent,
  agentSessions,
  entryAppended,
  sessionShutdown,
  sessionStart,
  sessionWriteFailed,
} from 'kern/contracts';
import { definePlugin, KernError, type SessionHandle } from 'kern/plugin';
import { expect, onTestFinished, test } from 'vitest';
import agentPlugin from './index.ts';
import { calls, fakeModel, openSession, replyOf, says, textsOf, toolPlugin } from './test/fakes.ts';

const typesOf = (events: readonly AgentEvent[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type !== 'entry_appended' && type !== 'message_update');

test('a failed request ends the run with its code and hint, and the next prompt goes on from there', async () => {
  await using s = await openSession([
    async function* () {
      yield { type: 'text_start', contentIndex: 0 };
      yield { type: 'text_delta', contentIndex: 0, delta: 'half' };
      throw new KernError('model_disconnected', 'the connection broke', { hint: 'try again' });
    },
    says('whole'),
  ]);
  expect(await s.session.prompt({ text: 'a' })).toMatchObject({
    status: 'error',
    text: 'half',
    error: { code: 'model_disconnected', message: 'the connection broke', hint: 'try again' },
  });
  expect(typesOf(s.events).slice(-3)).toEqual(['turn_end', 'agent_end', 'agent_settled']);
  expect(await s.session.prompt({ text: 'b' })).toMatchObject({ status: 'ok', text: 'whole' });
  expect(textsOf(s.requests[1]?.messages ?? [])).toEqual(['a', 'half', 'b']);
});

test('what a model reads again holds no empty reply and no thinking that was cut off', async () => {
  await using s = await openSession([
    async function* () {
      yield { type: 'thinking_start', contentIndex: 0 };
      yield { type: 'thinking_delta', contentIndex: 0, delta: 'hm' };
      throw new KernError('model_unauthorized', 'the key was revoked');
    },
    says('fine'),
  ]);
  await s.session.prompt({ text: 'a' });
  await s.session.prompt({ text: 'b' });
  expect(s.session.messages()[1]).toMatchObject({
    content: [{ type: 'thinking', thinking: 'hm' }],
    stopReason: 'error',
  });
  expect(textsOf(s.requests[1]?.messages ?? [])).toEqual(['a', 'b']);
});

test('usage and cost are summed, and one unknown price makes the cost unknown', async () => {
  const usage = {
    input: 10,
    output: 5,
    cacheRead: 1,
    cacheWrite: 2,
    reasoning: 3,
    totalTokens: 18,
    cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 },
  };
  const priced = async function* () {
    yield {
      type: 'done' as const,
      message: replyOf([{ type: 'toolCall', id: 'c1', name: 'a', arguments: {} }], { usage }),
    };
  };
  {
    await using s = await openSession([priced, says('x', { usage })], { plugins: [toolPlugin('a', '')] });
    expect(await s.session.prompt({ text: 'go' })).toMatchObject({
      usage: { input: 20, output: 10, cacheRead: 2, cacheWrite: 4, reasoning: 6 },
      cost: 4,
    });
  }
  await using s = await openSession([priced, says('x', { usage: { ...usage, cost: null } })], {
    plugins: [toolPlugin('a', '')],
  });
  expect(await s.session.prompt({ text: 'go' })).toMatchObject({ usage: { input: 20 }, cost: null });
});

test('a session is written as it goes, and every entry is told after it is in the file', async () => {
  const seen: boolean[] = [];
  const told: string[] = [];
  const witness = definePlugin({
    id: 'witness',
    setup: (ctx) => ctx.tap(entryAppended, ({ entry }) => void told.push(entry.type)),
  });
  await using s = await openSession([calls(['c1', 'a']), says('done')], {
    plugins: [toolPlugin('a', 'fine'), witness],
    persist: true,
  });
  s.session.subscribe((event) => {
    if (event.type === 'entry_appended')
      seen.push(readFileSync(s.session.file ?? '', 'utf8').includes((event.entry as { id: string }).id));
  });
  await s.session.prompt({ text: 'go' });
  expect(seen).toEqual(Array.from({ length: 7 }, () => true));
  expect(told).toEqual([
    'model_change',
    'thinking_level_change',
    'message',
    'message',
    'message',
    'message',
    'message',
  ]);
  const lines = readFileSync(s.session.file ?? '', 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => line.message?.role ?? line.type)).toEqual([
    ...['model_change', 'thinking_level_change', 'system', 'user', 'assistant', 'toolResult', 'assistant'],
  ]);
  expect(lines[2].message).toMatchObject({ content: s.requests[0]?.systemPrompt, toolsAdded: [{ name: 'a' }] });
});

test('a session that cannot be written says so and goes on in memory', async () => {
  const told: unknown[] = [];
  const witness = definePlugin({
    id: 'witness',
    setup: (ctx) => ctx.tap(sessionWriteFailed, (failed) => void told.push(failed)),
  });
  const cwd = mkdtempSync(join(tmpdir(), 'kern-agent-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, 's1.jsonl'));
  await using s = await openSession([says('one'), says('two')], { persist: true, cwd, plugins: [witness] });
  expect(await s.session.prompt({ text: 'a' })).toMatchObject({ status: 'ok', text: 'one' });
  expect(await s.session.prompt({ text: 'b' })).toMatchObject({ status: 'ok', text: 'two' });
  expect(s.events).toContainEqual({
    type: 'session_write_failed',
    error: expect.stringContaining('EISDIR'),
    pending: expect.any(Number),
  });
  expect(told).toContainEqual({ error: expect.stringContaining('EISDIR'), pending: expect.any(Number) });
  expect(s.events.some(({ type }) => type === 'entry_appended')).toBe(false);
});

test('plugins reach the session through ctx.session, and a handle of one that was left says so', async () => {
  let handle: SessionHandle | undefined;
  const holder = definePlugin({
    id: 'holder',
    setup: (ctx) =>
      ctx.tap(sessionStart, () => {
        handle = ctx.session;
        handle.appendEntry('holder.seen', { yes: true });
      }),
  });
  const s = await openSession([says('x')], { plugins: [holder] });
  expect(handle?.id).toBe(s.session.id);
  expect(handle?.model()).toEqual({ id: 'fake/m' });
  expect(handle?.isIdle()).toBe(true);
  await s.session[Symbol.asyncDispose]();
  expect(() => handle?.sendMessage('too late')).toThrow(expect.objectContaining({ code: 'stale_session' }));
  expect(() => handle?.id).toThrow(expect.objectContaining({ code: 'stale_session' }));
  await expect(handle?.setModel('fake/m')).rejects.toMatchObject({ code: 'stale_session' });
  await expect(s.session.prompt({ text: 'x' })).rejects.toMatchObject({ code: 'stale_session' });
  expect(s.session.id).toBe('s1');
  await s.t[Symbol.asyncDispose]();
});

test('the model and the thinking level can be changed between turns; the level is what the model can do', async () => {
  const models = [fakeModel(), fakeModel({ id: 'fake/n', model: 'n', thinking: [] })];
  await using s = await openSession([says('1'), says('2'), says('3')], { models, thinking: 'medium' });
  expect(s.session.thinking()).toBe('low');
  await s.session.prompt({ text: 'a' });
  s.session.setThinking('max');
  await s.session.prompt({ text: 'b' });
  await s.session.setModel('fake/n');
  await s.session.prompt({ text: 'c' });
  expect(s.requests.map(({ model, thinking }) => [model.id, thinking])).toEqual([
    ['fake/m', 'low'],
    ['fake/m', 'high'],
    ['fake/n', 'off'],
  ]);
  expect(() => s.session.setThinking('deep')).toThrow(expect.objectContaining({ code: 'thinking_unknown' }));
});

test('disposing aborts what runs and tells the plugins once', async () => {
  const log: string[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) => ctx.tap(sessionShutdown, () => void log.push('shutdown')),
  });
  const s = await openSession(
    [
      async function* () {
        await new Promise(() => {});
        yield* [] as never[];
      },
    ],
    { plugins: [listener] },
  );
  const running = s.session.prompt({ text: 'a' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await Promise.all([s.session[Symbol.asyncDispose](), s.session[Symbol.asyncDispose]()]);
  expect(await running).toMatchObject({ status: 'aborted' });
  expect(log).toEqual(['shutdown']);
  expect(s.view.session).toBeUndefined();
  await s.t[Symbol.asyncDispose]();
});

test('a listener that throws stops neither the others nor the run', async () => {
  await using s = await openSession([says('x')]);
  const uncaught: unknown[] = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => uncaught.push(error));
  const { dispose } = s.session.subscribe((event) => {
    if (event.type === 'agent_start') throw new Error('bad listener');
  });
  expect(await s.session.prompt({ text: 'a' })).toMatchObject({ status: 'ok' });
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners('uncaughtException');
  for (const listener of before) process.on('uncaughtException', listener);
  dispose();
  expect(uncaught).toEqual([new Error('bad listener')]);
});

test('a session outlives the revision of the plugin that opened it', async () => {
  await using s = await openSession([says('one'), says('two')]);
  await s.session.prompt({ text: 'a' });
  expect(await s.t.put({ ...agentPlugin })).toMatchObject({ ok: true });
  await s.t.put(toolPlugin('late', ''));
  expect(s.events).toContainEqual(expect.objectContaining({ type: 'plugin_changed', id: 'tool-late' }));
  expect(await s.session.prompt({ text: 'b' })).toMatchObject({ text: 'two' });
  const other = await s.view.service(agentSessions).create({ cwd: s.t.dir, view: s.t.kernel.view(), persist: false });
  expect(other.id).not.toBe(s.session.id);
  await other[Symbol.asyncDispose]();
});

test('a message is told before its entry is acknowledged', async () => {
  await using s = await openSession([says('x')]);
  await s.session.prompt({ text: 'a' });
  const order = s.events.flatMap((event) => {
    if (event.type === 'message_end') return [`told ${event.message.role}`];
    if (event.type !== 'entry_appended') return [];
    const { message } = event.entry as { message?: { role: string } };
    return message === undefined || message.role === 'system' ? [] : [`kept ${message.role}`];
  });
  expect(order).toEqual(['told user', 'kept user', 'told assistant', 'kept assistant']);
});
