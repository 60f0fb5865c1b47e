import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentEvent,
  agentBeforeStart,
  agentEnd,
  agentSessions,
  agentStart,
  context,
  entryAppended,
  input,
  inputText,
  messageEnd,
  messageStart,
  messageUpdate,
  sessionShutdown,
  sessionStart,
  sessionWriteFailed,
  systemPrompt,
  toolCall,
  toolEnd,
  toolInput,
  toolResult,
  toolStart,
  tools,
  turnEnd,
  turnStart,
} from 'kern/contracts';
import { definePlugin, KernError, type PluginDefinition, type SessionHandle } from 'kern/plugin';
import { expect, onTestFinished, test } from 'vitest';
import agentPlugin from './index.ts';
import { calls, fakeModel, openSession, replyOf, says, textsOf, toolPlugin } from './test/fakes.ts';

const typesOf = (events: readonly AgentEvent[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type !== 'entry_appended' && type !== 'message_update');

test('a run tells its events in order, from the start to the settled end', async () => {
  await using s = await openSession([calls(['c1', 'a'], ['c2', 'a']), says('done')], {
    plugins: [toolPlugin('a', 'fine')],
  });
  const result = await s.session.prompt({ text: 'go' });
  expect(result).toMatchObject({ status: 'ok', text: 'done', turns: 2, error: undefined });
  expect(typesOf(s.events)).toEqual([
    ...['agent_start', 'turn_start', 'message_start', 'message_end', 'message_start', 'message_end'],
    ...['tool_execution_start', 'tool_execution_start', 'tool_execution_end', 'tool_execution_end'],
    ...['message_start', 'message_end', 'message_start', 'message_end', 'turn_end'],
    ...['turn_start', 'message_start', 'message_end', 'turn_end', 'agent_end', 'agent_settled'],
  ]);
  expect(s.events.at(-1)).toEqual({ type: 'agent_settled', aborted: false });
  expect(result.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'toolResult',
    'toolResult',
    'assistant',
  ]);
});

test('every hook is called once, in order', async () => {
  const log: string[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) => {
      ctx.tap(sessionStart, ({ reason }) => void log.push(`session.start ${reason}`));
      ctx.tap(input, ({ text }) => void log.push(`input ${text}`));
      ctx.tap(inputText, ({ text }) => void log.push(`input.text ${text}`));
      ctx.tap(systemPrompt, () => void log.push('system-prompt'));
      ctx.tap(agentBeforeStart, () => void log.push('agent.before-start'));
      ctx.tap(agentStart, () => void log.push('agent.start'));
      ctx.tap(turnStart, ({ turnIndex }) => void log.push(`turn.start ${turnIndex}`));
      ctx.tap(context, ({ messages }) => void log.push(`context ${messages.length}`));
      ctx.tap(messageStart, ({ message }) => void log.push(`message.start ${message.role}`));
      ctx.tap(messageUpdate, ({ event }) => void log.push(`message.update ${event.type}`));
      ctx.tap(messageEnd, ({ message }) => void log.push(`message.end ${message.role}`));
      ctx.tap(turnEnd, ({ turnIndex }) => void log.push(`turn.end ${turnIndex}`));
      ctx.tap(agentEnd, ({ status }) => void log.push(`agent.end ${status}`));
      ctx.tap(sessionShutdown, ({ reason }) => void log.push(`session.shutdown ${reason}`));
    },
  });
  {
    await using s = await openSession([says('hi')], { plugins: [listener] });
    await s.session.prompt({ text: 'hello' });
  }
  expect(log).toEqual([
    ...[
      'session.start startup',
      'input hello',
      'input.text hello',
      'system-prompt',
      'agent.before-start',
      'agent.start',
      'turn.start 0',
    ],
    ...['message.start user', 'message.end user', 'context 1', 'message.start assistant'],
    ...[
      'message.update text_start',
      'message.update text_delta',
      'message.update text_end',
      'message.end assistant',
      'turn.end 0',
      'agent.end ok',
      'session.shutdown quit',
    ],
  ]);
});

test('the hooks of a tool call are called once, with the call itself', async () => {
  const log: string[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) => {
      ctx.tap(toolStart, ({ toolCallId }) => void log.push(`tool.start ${toolCallId}`));
      ctx.tap(toolInput, ({ callId }) => void log.push(`tool.input ${callId}`));
      ctx.tap(toolCall, ({ callId, by, sessionId }) => void log.push(`tool.call ${callId} ${by} ${sessionId}`));
      ctx.tap(toolResult, ({ callId }) => void log.push(`tool.result ${callId}`));
      ctx.tap(toolEnd, ({ toolCallId, isError }) => void log.push(`tool.end ${toolCallId} ${isError}`));
    },
  });
  await using s = await openSession([calls(['c1', 'a'], ['c2', 'gone']), says('')], {
    plugins: [listener, toolPlugin('a', 'ok')],
  });
  await s.session.prompt({ text: 'go' });
  expect(log).toEqual([
    'tool.start c1',
    'tool.input c1',
    'tool.call c1 model s1',
    'tool.start c2',
    'tool.end c2 true',
    'tool.result c1',
    'tool.end c1 false',
  ]);
});

test('a plugin may take an input, change it, and add messages before it', async () => {
  const taker = definePlugin({
    id: 'taker',
    setup: (ctx) => {
      ctx.tap(input, ({ text }) => (text === '/ping' ? { handled: true, say: 'pong' } : undefined));
      ctx.tap(inputText, (value) => ({ ...value, text: value.text.toUpperCase() }));
      ctx.tap(agentBeforeStart, ({ prompt, messages }) => ({
        prompt,
        messages: [
          ...messages,
          {
            role: 'custom',
            customType: 'note',
            content: [{ type: 'text', text: `${prompt.length > 0}` }],
            display: false,
            timestamp: 0,
          },
        ],
      }));
    },
  });
  await using s = await openSession([says('hi')], { plugins: [taker] });
  expect(await s.session.prompt({ text: '/ping' })).toMatchObject({
    status: 'ok',
    text: 'pong',
    turns: 0,
    messages: [],
  });
  expect(typesOf(s.events)).toEqual([]);
  await s.session.prompt({ text: 'hello' });
  expect(textsOf(s.requests[0]?.messages ?? [])).toEqual(['true', 'HELLO']);
});

test('each request begins with the bytes of the one before', async () => {
  await using s = await openSession([calls(['c1', 'a']), says('one'), says('two')], {
    plugins: [toolPlugin('a', 'fine'), toolPlugin('b', 'fine')],
  });
  await s.session.prompt({ text: 'first' });
  await s.session.prompt({ text: 'second' });
  const bytes = s.requests.map((request) =>
    JSON.stringify([request.systemPrompt, request.tools, ...request.messages]).slice(0, -1),
  );
  expect(bytes).toHaveLength(3);
  expect(bytes[1]?.startsWith(bytes[0] ?? '?')).toBe(true);
  expect(bytes[2]?.startsWith(bytes[1] ?? '?')).toBe(true);
});

test('the system prompt is short, and says where the agent is and how it works', async () => {
  await using s = await openSession([says('hi')], { appendSystemPrompt: ['Speak French.'] });
  await s.session.prompt({ text: 'x' });
  const prompt = s.requests[0]?.systemPrompt ?? '';
  expect(Buffer.byteLength(prompt)).toBeLessThan(1_500);
  expect(prompt).toContain(`Working directory: ${s.t.dir}`);
  expect(prompt).toMatch(/Date: \d{4}-\d{2}-\d{2}$/m);
  expect(prompt.endsWith('Speak French.')).toBe(true);
});

test('a given system prompt takes the place of the own words, not of the surroundings', async () => {
  await using s = await openSession([says('hi')], { systemPrompt: 'You are a parrot.' });
  await s.session.prompt({ text: 'x' });
  expect(s.requests[0]?.systemPrompt).toMatch(/^You are a parrot\.\n\nWorking directory: /);
});

test('a tool that comes in the middle of a run is announced, appended, and called in the next turn', async () => {
  const late = toolPlugin('word_count', '7');
  let put: (() => Promise<unknown>) | undefined;
  const installer = toolPlugin('install', async () => {
    // Not awaited: the turn after this one waits for changes under way.
    void put?.();
    return 'written';
  });
  await using s = await openSession([calls(['c1', 'install']), calls(['c2', 'word_count']), says('seven')], {
    plugins: [installer],
  });
  put = () => s.t.put(late, { level: 'project' });
  const result = await s.session.prompt({ text: 'go' });
  expect(result).toMatchObject({ status: 'ok', text: 'seven' });
  expect(s.requests.map((request) => request.tools.map(({ name }) => name))).toEqual([
    ['install'],
    ['install', 'word_count'],
    ['install', 'word_count'],
  ]);
  const announced = s.requests[1]?.messages.at(-1);
  expect(announced).toMatchObject({ role: 'custom', customType: 'kern.announcement' });
  expect(textsOf([announced as never])).toEqual(['Tools now available: word_count.']);
  expect(textsOf(s.requests[2]?.messages ?? []).at(-1)).toBe('7');
  expect(s.events).toContainEqual(
    expect.objectContaining({ type: 'plugin_changed', id: 'tool-word_count', state: 'live' }),
  );
  expect(s.events).toContainEqual({
    type: 'capability_changed',
    capability: 'tool',
    added: ['word_count'],
    changed: [],
    removed: [],
  });
});

test('a changed tool and one that went are announced, and the others keep their place', async () => {
  const between = { fn: async (): Promise<unknown> => undefined };
  const hook = toolPlugin('b', async () => {
    await between.fn();
    return 'ok';
  });
  await using s = await openSession([calls(['c1', 'b']), calls(['c2', 'b']), says('end')], {
    plugins: [toolPlugin('a', '1'), hook, toolPlugin('c', '1')],
  });
  between.fn = () => s.t.put(toolPlugin('a', '2', 'Does a better.'));
  const done = s.session.prompt({ text: 'go' });
  const changed = Promise.withResolvers<void>();
  s.session.subscribe((event) => {
    if (event.type !== 'turn_end' || event.turnIndex !== 0) return;
    between.fn = () => s.t.drop('tool-c');
    changed.resolve();
  });
  await changed.promise;
  await done;
  expect(textsOf(s.requests[1]?.messages ?? []).at(-1)).toBe('Tools that changed: a.');
  expect(s.requests[1]?.tools.map(({ name, description }) => [name, description])).toEqual([
    ['a', 'Does a better.'],
    ['b', 'Does b.'],
    ['c', 'Does c.'],
  ]);
  expect(textsOf(s.requests[2]?.messages ?? []).at(-1)).toBe('Tools no longer available: c.');
  expect(s.requests[2]?.tools.map(({ name }) => name)).toEqual(['a', 'b']);
});

test('an instruction that changes in a session follows as a message, and the prompt stays', async () => {
  const rules = (text: string | undefined): PluginDefinition =>
    definePlugin({
      id: 'rules',
      setup: (ctx) =>
        ctx.tap(systemPrompt, (value) =>
          text === undefined ? undefined : { ...value, sections: [...value.sections, { id: 'rules', text }] },
        ),
    });
  await using s = await openSession([says('1'), says('2'), says('3'), says('4')], { plugins: [rules('Be brief.')] });
  await s.session.prompt({ text: 'a' });
  await s.t.put(rules('Be very brief.'));
  await s.session.prompt({ text: 'b' });
  await s.t.put(rules('Be very brief.'));
  await s.session.prompt({ text: 'c' });
  await s.t.put(rules(undefined));
  await s.session.prompt({ text: 'd' });
  expect(new Set(s.requests.map((request) => request.systemPrompt)).size).toBe(1);
  expect(textsOf(s.requests[3]?.messages ?? [])).toEqual([
    'a',
    '1',
    'The instructions "rules" changed. They now read:\nBe very brief.',
    'b',
    '2',
    'c',
    '3',
    'The instructions "rules" no longer hold.',
    'd',
  ]);
});

test('a turn sees one set of plugins, also when one is replaced while it runs', async () => {
  let put: (() => Promise<unknown>) | undefined;
  const old = toolPlugin('a', 'old');
  const replacer = toolPlugin('replace', async () => {
    await put?.();
    return 'replaced';
  });
  await using s = await openSession([calls(['c1', 'replace'], ['c2', 'a']), calls(['c3', 'a']), says('end')], {
    plugins: [old, replacer],
    boot: { settings: { 'tools.execution': 'sequential' } },
  });
  put = () => s.t.put(toolPlugin('a', 'new'));
  await s.session.prompt({ text: 'go' });
  const results = s.session.messages().flatMap((message) => (message.role === 'toolResult' ? textsOf([message]) : []));
  expect(results).toEqual(['replaced', 'old', 'new']);
});

test('the setting tools.execution makes every batch sequential', async () => {
  let running = 0;
  let most = 0;
  const tool = toolPlugin('a', async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    return '';
  });
  await using s = await openSession([calls(['c1', 'a'], ['c2', 'a']), says('')], {
    plugins: [tool],
    boot: { settings: { 'tools.execution': 'sequential' } },
  });
  await s.session.prompt({ text: 'go' });
  expect(most).toBe(1);
});

test('chosen tools are the only ones offered, and another one is unknown even when it is called', async () => {
  await using s = await openSession([calls(['c1', 'b']), says('')], {
    plugins: [toolPlugin('a', '1'), toolPlugin('b', '2')],
    tools: ['a'],
  });
  await s.session.prompt({ text: 'go' });
  expect(s.requests[0]?.tools.map(({ name }) => name)).toEqual(['a']);
  expect(textsOf(s.session.messages())).toContainEqual(expect.stringContaining('There is no tool "b"'));
});

test('no tools means none, and an unknown one is told with those that are there', async () => {
  await using s = await openSession([says('')], { plugins: [toolPlugin('a', '1')], tools: [] });
  await s.session.prompt({ text: 'go' });
  expect(s.requests[0]?.tools).toEqual([]);
  await expect(openSession([], { plugins: [toolPlugin('a', '1')], tools: ['aa'] })).rejects.toMatchObject({
    code: 'tool_unknown',
    hint: 'the tools here: a',
  });
});

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
      throw new KernError('model_stalled', 'no word for a long time');
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
  expect(s.events).toContainEqual({ type: 'queue_update', steering: ['stale'], followUp: ['stale too'] });
  expect(s.events.filter(({ type }) => type === 'queue_update').at(-1)).toEqual({
    type: 'queue_update',
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

test('a plugin that changes a message before it is kept changes what is told, kept and asked', async () => {
  const redact = definePlugin({
    id: 'redact',
    setup: (ctx) =>
      ctx.tap(messageEnd, ({ message }) =>
        message.role === 'user'
          ? { message: { ...message, content: [{ type: 'text' as const, text: '***' }] } }
          : { message: { ...message, role: 'user' } as never },
      ),
  });
  await using s = await openSession([says('kept as it was')], { plugins: [redact] });
  await s.session.prompt({ text: 'secret' });
  expect(textsOf(s.requests[0]?.messages ?? [])).toEqual(['***']);
  expect(textsOf(s.session.messages())).toEqual(['***', 'kept as it was']);
});

test('the context of a request is what the plugins leave of it, made valid, and nothing of it is kept', async () => {
  const forget = definePlugin({
    id: 'forget',
    setup: (ctx) =>
      ctx.tap(context, ({ messages }) => ({ messages: messages.filter(({ role }) => role !== 'toolResult') })),
  });
  await using s = await openSession([calls(['c1', 'a']), says('')], { plugins: [toolPlugin('a', 'gone'), forget] });
  await s.session.prompt({ text: 'go' });
  expect(textsOf(s.requests[1]?.messages ?? [])).toEqual([
    'go',
    'toolCall',
    'The result of this call is not available.',
  ]);
  expect(textsOf(s.session.messages())).toContain('gone');
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
  mkdirSync(join(cwd, 'session.jsonl'));
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
  await expect(s.session.compact()).rejects.toMatchObject({ code: 'compaction_unavailable' });
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

test('a hidden tool is offered only when it is asked for by name', async () => {
  const secret = definePlugin({
    id: 'secret',
    setup: (ctx) =>
      ctx.contribute(tools, {
        name: 'secret',
        description: 'x',
        hidden: true,
        inputSchema: {},
        execute: async () => ({ content: [] }),
      } as never),
  });
  {
    await using s = await openSession([says('')], { plugins: [secret] });
    await s.session.prompt({ text: 'a' });
    expect(s.requests[0]?.tools).toEqual([]);
  }
  await using s = await openSession([says('')], { plugins: [secret], tools: ['secret'] });
  await s.session.prompt({ text: 'a' });
  expect(s.requests[0]?.tools.map(({ name }) => name)).toEqual(['secret']);
});
