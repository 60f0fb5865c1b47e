import { systemPrompt, tools } from 'kern/contracts';
import { definePlugin, type PluginDefinition } from 'kern/plugin';
import { expect, test } from 'vitest';
import { calls, openSession, says, textsOf, toolPlugin } from './test/fakes.ts';

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
