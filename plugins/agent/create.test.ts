import {
  type AgentEvent,
  modelSelect,
  type SessionEntry,
  sessionStart,
  systemPrompt,
  thinkingSelect,
} from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { expect, test } from 'vitest';
import { calls, fakeModel, openSession, says, textsOf, toolPlugin } from './test/fakes.ts';

const rules = (text: string): PluginDefinition =>
  definePlugin({
    id: 'rules',
    setup: (ctx) =>
      ctx.tap(systemPrompt, (value) => ({ ...value, sections: [...value.sections, { id: 'rules', text }] })),
  });

/** The request as it goes out: what caches of prompts live from. */
const bytesOf = (request: { systemPrompt: string; tools: unknown; messages: readonly unknown[] } | undefined): string =>
  JSON.stringify([request?.systemPrompt, request?.tools, ...(request?.messages ?? [])]).slice(0, -1);

test('a resumed session goes on with the bytes that were sent', async () => {
  await using s = await openSession([calls(['c1', 'a']), says('one'), says('two')], {
    persist: true,
    plugins: [toolPlugin('a', 'fine'), rules('Be brief.')],
  });
  await s.session.prompt({ text: 'first', files: [{ path: 'x.md', content: 'x' }] });
  const { file, id } = s.session;
  await s.session[Symbol.asyncDispose]();
  await using session = await s.reopen({ resume: id, persist: true });
  expect(session.file).toBe(file);
  expect(session.header.id).toBe(id);
  await session.prompt({ text: 'second' });
  // Only the time at which an entry was written may stand in place of that at which it was said.
  const timeless = (bytes: string): string =>
    bytes.replaceAll(/"timestamp":\d+/g, '"timestamp":0').replaceAll(/,"details":\{[^}]*\}\]\}/g, '');
  expect(timeless(bytesOf(s.requests[2])).startsWith(timeless(bytesOf(s.requests[0])))).toBe(true);
  expect(textsOf(s.requests[2]?.messages ?? [])).toEqual([
    expect.any(String),
    'first',
    'toolCall',
    'fine',
    'one',
    'second',
  ]);
});

test('what changed while a session was away is told as a message, once', async () => {
  await using s = await openSession([says('one'), says('two'), says('three'), says('four')], {
    persist: true,
    plugins: [toolPlugin('a', 'fine'), toolPlugin('b', 'fine'), rules('Be brief.')],
  });
  await s.session.prompt({ text: 'first' });
  const { id } = s.session;
  await s.session[Symbol.asyncDispose]();
  await s.t.put(rules('Be very brief.'));
  await s.t.put(toolPlugin('c', 'new'));
  await s.t.put(toolPlugin('a', 'fine', 'Does a better.'));
  await s.t.drop('tool-b');
  {
    await using session = await s.reopen({ resume: id, persist: true });
    await session.prompt({ text: 'second' });
    await session.prompt({ text: 'third' });
  }
  const news = [
    'Tools now available: c.',
    'Tools that changed: a.',
    'Tools no longer available: b.',
    '',
    'The instructions "rules" changed. They now read:',
    'Be very brief.',
  ].join('\n');
  expect(s.requests[1]?.systemPrompt).toBe(s.requests[0]?.systemPrompt);
  expect(textsOf(s.requests[2]?.messages ?? [])).toEqual(['first', 'one', news, 'second', 'two', 'third']);
  expect(s.requests[2]?.tools.map(({ name }) => name)).toEqual(['a', 'c']);
  // What it was told before it went, it is not told again.
  await using again = await s.reopen({ resume: id, persist: true });
  await again.prompt({ text: 'fourth' });
  expect(textsOf(s.requests[3]?.messages ?? []).slice(-2)).toEqual(['three', 'fourth']);
  expect(s.requests[3]?.tools).toEqual(s.requests[2]?.tools);
});

test('instructions that are gone when a session is resumed no longer hold', async () => {
  await using s = await openSession([says('one'), says('two')], { persist: true, plugins: [rules('Be brief.')] });
  await s.session.prompt({ text: 'first' });
  const { id } = s.session;
  await s.session[Symbol.asyncDispose]();
  await s.t.drop('rules');
  await using session = await s.reopen({ resume: id, persist: true });
  await session.prompt({ text: 'second' });
  expect(textsOf(s.requests[1]?.messages ?? []).at(-2)).toBe('The instructions "rules" no longer hold.');
});

test('the head of another program is not gone on with: its tools are not there', async () => {
  await using s = await openSession([says('one'), says('two')], { persist: true, plugins: [toolPlugin('a', 'fine')] });
  await s.session.prompt({ text: 'first' });
  const { id, file = '' } = s.session;
  await s.session[Symbol.asyncDispose]();
  s.stored
    .get(file)
    ?.change((entry) =>
      entry.type === 'message' && entry.message.role === 'system'
        ? { ...entry, message: { role: 'system', content: 'You are another.', timestamp: 0 } }
        : entry,
    );
  await using session = await s.reopen({ resume: id, persist: true });
  await session.prompt({ text: 'second' });
  expect(s.requests[1]?.systemPrompt).toBe(s.requests[0]?.systemPrompt);
  expect(textsOf(s.requests[1]?.messages ?? [])).toEqual(['first', 'one', 'second']);
});

test('a resumed session says why it starts; the latest is resumed where there is one, else a new one is begun', async () => {
  const reasons: string[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) => ctx.tap(sessionStart, ({ sessionId, reason }) => void reasons.push(`${sessionId} ${reason}`)),
  });
  await using s = await openSession([says('one')], {
    persist: true,
    resume: { latest: true },
    plugins: [listener],
  });
  await s.session.prompt({ text: 'a' });
  await s.session[Symbol.asyncDispose]();
  for (const more of [
    { resume: { latest: true } as const },
    { resume: 's1', fork: true },
    { resume: 's1', persist: false },
  ]) {
    await using session = await s.reopen({ persist: true, ...more });
    expect(textsOf(session.messages())).toEqual(['a', 'one']);
  }
  expect(reasons).toEqual(['s1 startup', 's1 resume', 's2 fork', 's3 fork']);
  await expect(s.reopen({ resume: 'nowhere', persist: true })).rejects.toMatchObject({ code: 'session_not_found' });
});

test('how a session was found is told to whoever subscribes before its first run', async () => {
  const owner = { pid: 1, host: 'here', since: '2026-01-01T00:00:00.000Z' };
  const repairs = [{ line: 3, kind: 'bad-line' as const, message: 'is no JSON' }];
  await using s = await openSession([says('one'), says('two')], {
    persist: true,
    found: () => ({ busy: { owner, as: 'takeover' }, repairs }),
  });
  await s.session.prompt({ text: 'a' });
  await s.session[Symbol.asyncDispose]();
  await using session = await s.reopen({ resume: 's1', persist: true });
  const heard: AgentEvent[][] = [[], [], []];
  session.subscribe((event) => heard[0]?.push(event));
  await Promise.resolve();
  session.subscribe((event) => heard[1]?.push(event));
  await session.prompt({ text: 'b' });
  session.subscribe((event) => heard[2]?.push(event));
  await Promise.resolve();
  const expected = [
    { type: 'session_busy', owner, as: 'takeover' },
    { type: 'session_repaired', repairs },
  ];
  expect(heard[0]?.slice(0, 2)).toEqual(expected);
  expect(heard[1]?.slice(0, 2)).toEqual(expected);
  expect(heard[2]).toEqual([]);
});

test('a session that can only be read is read, and everything that would write it is refused with why', async () => {
  await using s = await openSession([says('one')], {
    persist: true,
    found: () => ({ readonly: 'it is open elsewhere' }),
  });
  await s.session.prompt({ text: 'a' });
  await s.session[Symbol.asyncDispose]();
  await using session = await s.reopen({ resume: 's1', persist: true });
  expect(textsOf(session.messages())).toEqual(['a', 'one']);
  const refused = expect.objectContaining({
    code: 'session_readonly',
    message: expect.stringContaining('open elsewhere'),
  });
  await expect(session.prompt({ text: 'b' })).rejects.toEqual(refused);
  await expect(session.setModel('fake/m')).rejects.toEqual(refused);
  await expect(session.navigateTree(null)).rejects.toEqual(refused);
  await expect(session.compact()).rejects.toEqual(refused);
  for (const act of [
    () => session.sendMessage('b'),
    () => session.setThinking('low'),
    () => session.setName('x'),
    () => session.setLabel('1', 'x'),
    () => session.appendEntry('x', {}),
  ])
    expect(act).toThrow(refused);
  expect(await session.fork()).toEqual({ done: true });
});

test('a model that is gone when a session is resumed falls back, which is told and written', async () => {
  const selected: unknown[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) => {
      ctx.tap(modelSelect, ({ model, reason }) => void selected.push([model, reason === undefined]));
      ctx.tap(thinkingSelect, ({ thinking, previous }) => void selected.push([previous, thinking]));
    },
  });
  const models = [fakeModel(), fakeModel({ id: 'fake/other', model: 'other', thinking: ['off', 'high'] })];
  await using s = await openSession([says('one'), says('two')], { persist: true, models, plugins: [listener] });
  await s.session.setModel('fake/other');
  s.session.setThinking('high');
  await s.session.prompt({ text: 'a' });
  await s.session[Symbol.asyncDispose]();
  models[1] = { ...(models[1] ?? fakeModel()), available: false };
  selected.length = 0;
  await using session = await s.reopen({ resume: 's1', persist: true });
  expect(session.model()).toEqual({ id: 'fake/m' });
  expect(session.thinking()).toBe('high');
  expect(selected[0]).toEqual(['fake/m', false]);
  const written = s.stored.get(session.file ?? '')?.entries() ?? [];
  expect(written.at(-1)).toMatchObject({ type: 'model_change', modelId: 'm' });
});

test('who gets the conversation where the model of a session is gone is told first', async () => {
  const models = [fakeModel(), fakeModel({ id: 'else/m', provider: 'else' })];
  await using s = await openSession([says('one')], { persist: true, models });
  await s.session.prompt({ text: 'a' });
  await s.session[Symbol.asyncDispose]();
  models[0] = { ...fakeModel(), available: false };
  models.reverse();
  await using session = await s.reopen({ resume: 's1', persist: true });
  const told: unknown[] = [];
  session.subscribe((event) => void (event.type === 'model_changed' && told.push(event.reason)));
  await Promise.resolve(); // whoever subscribes has the session in hand first
  expect(told).toEqual([
    expect.stringMatching(/^this session goes on with else\/m, and all that was said so far goes to else: fake\/m, /),
  ]);
});

test('what is asked for at a resume goes before what the session says', async () => {
  const models = [fakeModel(), fakeModel({ id: 'fake/other', model: 'other' })];
  await using s = await openSession([says('one')], { persist: true, models });
  await s.session.prompt({ text: 'a' });
  await s.session[Symbol.asyncDispose]();
  await using session = await s.reopen({ resume: 's1', persist: true, model: 'fake/other', thinking: 'high' });
  expect(session.model()).toEqual({ id: 'fake/other' });
  expect(session.thinking()).toBe('high');
  const types = (s.stored.get(session.file ?? '')?.entries() ?? []).map(({ type }: SessionEntry) => type);
  expect(types.slice(-2)).toEqual(['model_change', 'thinking_level_change']);
});

test('the name of a model may say how long it thinks, and what was said beside it goes first', async () => {
  const other = fakeModel({ id: 'fake/other', model: 'other', thinking: ['off', 'high'] });
  await using s = await openSession([], { models: [fakeModel(), other] });
  await s.session.setModel('fake/other:high');
  expect([s.session.currentModel.id, s.session.thinking()]).toEqual(['fake/other', 'high']);
  await using named = await s.reopen({ model: 'fake/m:low' });
  expect([named.model()?.id, named.thinking()]).toEqual(['fake/m', 'low']);
  await using both = await s.reopen({ model: 'fake/m:low', thinking: 'high' });
  expect(both.thinking()).toBe('high');
});

test('a level that the model does not know is told of once, and tried again with the next model', async () => {
  const models = [fakeModel(), fakeModel({ id: 'fake/plain', model: 'plain', thinking: ['off'] })];
  await using s = await openSession([], { models });
  const told: unknown[] = [];
  s.session.subscribe((event) => {
    if (event.type === 'thinking_changed') told.push([event.thinking, event.reason]);
  });
  s.session.setThinking('max');
  s.session.setThinking('max');
  await s.session.setModel('fake/plain');
  await s.session.setModel('fake/m');
  expect(told).toEqual([
    ['high', 'fake/m does not know the thinking level max: high is used'],
    ['off', 'fake/plain does not think: the level max is left out'],
    ['high', 'fake/m does not know the thinking level max: high is used'],
  ]);
});

test('a model that cannot think costs a session no level: the next one thinks as it was asked for', async () => {
  const plain = fakeModel({ id: 'fake/plain', model: 'plain', thinking: ['off'] });
  const deep = fakeModel({ id: 'fake/deep', model: 'deep', thinking: ['low', 'medium', 'high'] });
  await using s = await openSession([says('1')], { persist: true, models: [fakeModel(), plain, deep] });
  s.session.setThinking('high');
  await s.session.prompt({ text: 'a' });
  await s.session[Symbol.asyncDispose]();
  const levelWith = async (model?: string): Promise<string> => {
    await using session = await s.reopen({ resume: 's1', persist: true, ...(model === undefined ? {} : { model }) });
    return session.thinking();
  };
  expect(await levelWith('fake/plain')).toBe('off');
  expect(await levelWith()).toBe('off');
  const written = s.stored
    .get(s.session.file ?? '')
    ?.entries()
    .at(-1);
  expect(written).toMatchObject({ type: 'thinking_level_change', thinkingLevel: 'off', wanted: 'high' });
  expect(await levelWith('fake/deep')).toBe('high');
});

test('where nobody asked for a level, none stays behind of a model that cannot think', async () => {
  const plain = fakeModel({ id: 'fake/plain', model: 'plain', thinking: ['off'] });
  const deep = fakeModel({ id: 'fake/deep', model: 'deep', thinking: ['low', 'medium', 'high'] });
  await using s = await openSession([says('1')], { persist: true, models: [plain, deep] });
  await s.session.prompt({ text: 'a' });
  await s.session[Symbol.asyncDispose]();
  await using session = await s.reopen({ resume: 's1', persist: true, model: 'fake/deep' });
  expect(session.thinking()).toBe('medium');
});

test('names are kept, told, and there again', async () => {
  await using s = await openSession([says('one')], { persist: true });
  await s.session.prompt({ text: 'a' });
  expect(s.session.name).toBeUndefined();
  s.session.setName('  Ships ');
  s.session.setName('Ships');
  expect(s.events.filter(({ type }) => type === 'session_name')).toEqual([{ type: 'session_name', name: 'Ships' }]);
  await s.session[Symbol.asyncDispose]();
  await using session = await s.reopen({ resume: 's1', persist: true });
  expect(session.name).toBe('Ships');
});
