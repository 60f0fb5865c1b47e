import { agentSessions, compactionPins, sessions, systemPrompt } from 'kern/contracts';
import { definePlugin, KernError, type PluginDefinition } from 'kern/plugin';
import { bootKern, script } from 'kern/testing';
import { expect, test } from 'vitest';
import { calls, fakeModel, openSession, type Reply, says, textsOf, toolPlugin } from '../test/fakes.ts';
import { expectPaired } from '../test/world.ts';
import { words } from './test/desk.ts';

const small = fakeModel({ contextWindow: 10_000, maxOutput: 4_000 });
const overflow: Reply = () => {
  throw new KernError('model_context_overflow', 'prompt is too long');
};
const kinds = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => /compaction|retry|agent_end|turn_start/.test(type));

test('a full session is compacted before the next prompt, and its head stays byte for byte', async () => {
  await using s = await openSession([says(words(5_000)), says('two')], { models: [small], aside: says('what was') });
  await s.session.prompt({ text: 'first' });
  const result = await s.session.prompt({ text: 'second' });
  expect(result).toMatchObject({ status: 'ok', text: 'two' });
  expect(kinds(s.events)).toEqual([
    'turn_start',
    'agent_end',
    'auto_compaction_start',
    'auto_compaction_end',
    'turn_start',
    'agent_end',
  ]);
  const [before, after] = s.requests;
  expect(after?.systemPrompt).toBe(before?.systemPrompt);
  expect(after?.tools).toEqual(before?.tools);
  expect(textsOf(after?.messages ?? []).at(-1)).toBe('second');
});

test('a session that grows between turns is compacted between them, and the run goes on', async () => {
  const replies = Array.from({ length: 8 }, (_, nth) => calls([`c${nth}`, 'look']));
  await using s = await openSession([...replies, says('done')], {
    models: [small],
    aside: says('what was'),
    plugins: [toolPlugin('look', words(1_500))],
  });
  const result = await s.session.prompt({ text: 'Look at everything.' });
  expect(result).toMatchObject({ status: 'ok', text: 'done', turns: 9 });
  expect(kinds(s.events)).toContain('auto_compaction_end');
  for (const { messages } of s.requests) {
    expectPaired(messages);
    expect(textsOf(messages).join('\n')).toContain('Look at everything.');
    expect(JSON.stringify(messages).length / 4).toBeLessThan(10_000);
  }
});

test('an overflow is compacted and asked again once; the next one is an error that says what is big', async () => {
  await using s = await openSession([says(words(1_000)), overflow, says('made it'), overflow, overflow], {
    models: [small],
    aside: says('what was'),
  });
  await s.session.prompt({ text: 'first' });
  expect(await s.session.prompt({ text: 'second' })).toMatchObject({ status: 'ok', text: 'made it' });
  expect(s.events).toContainEqual(
    expect.objectContaining({ type: 'auto_compaction_end', reason: 'overflow', willRetry: true }),
  );
  expect(textsOf(s.requests[2]?.messages ?? []).at(-1)).toBe('second');
  const third = await s.session.prompt({ text: 'third' });
  expect(third).toMatchObject({ status: 'error', error: { code: 'model_context_overflow' } });
  expect(third.error?.message).toContain('system prompt');
});

test('what was announced since the head was sent is announced again after a compaction', async () => {
  let rule = 'Speak French.';
  const rules = definePlugin({
    id: 'rules',
    setup: (ctx) =>
      ctx.tap(systemPrompt, (value) => ({ ...value, sections: [...value.sections, { id: 'rule', text: rule }] })),
  });
  await using s = await openSession([says('oui'), says(words(5_000)), says('si'), says('si')], {
    models: [small],
    aside: says('what was'),
    plugins: [rules],
  });
  await s.session.prompt({ text: 'first' });
  rule = 'Speak\tSpanish. ';
  await s.t.put(toolPlugin('other', 'x'), { level: 'project' });
  await s.session.prompt({ text: 'second' });
  await s.session.compact();
  await s.session.prompt({ text: 'third' });
  const seen = textsOf(s.requests.at(-1)?.messages ?? []);
  expect(seen[0]).toContain('what was');
  expect(seen.filter((text) => text.includes('Speak\tSpanish.'))).toHaveLength(1);
  expect(seen.join('\n')).toContain('Tools now available: other.');
});

const todo = (text: () => string): PluginDefinition =>
  definePlugin({
    id: 'todo',
    setup: (ctx) => ctx.tap(compactionPins, () => ({ id: 'todo', title: 'To do', text: text() })),
  });

test('a session that is opened again reads the same: summary, pins and what stayed', async () => {
  await using file = script({
    version: 1,
    model: { contextWindow: 10_000 },
    turns: [{ text: words(2_000) }, { text: 'two' }, { text: 'three' }],
    summaries: [{ text: 'the gist' }],
  });
  await using t = await bootKern([todo(() => '1. rest\n\t2. go on  ')]);
  await t.view.use(agentSessions).load();
  const open = { view: t.view, cwd: t.view.where.cwd, model: file.model };
  const first = await t.view.service(agentSessions).create(open);
  await first.prompt({ text: 'first' });
  await first.prompt({ text: 'second' });
  const done = await first.compactWith();
  expect(done).toMatchObject({ summary: 'the gist', pins: [{ id: 'todo' }] });
  const said = JSON.stringify(first.context().map(({ message }) => message.content));
  const { file: path } = first;
  await first[Symbol.asyncDispose]();
  const again = await t.view.service(agentSessions).create({ ...open, resume: path ?? '' });
  expect(JSON.stringify(again.context().map(({ message }) => message.content))).toBe(said);
  expect(said).toContain(JSON.stringify('1. rest\n\t2. go on  ').slice(1, -1));
  await again.undoCompaction();
  expect(textsOf(again.context().map(({ message }) => message))).toHaveLength(4);
  expect(await again.prompt({ text: 'third' })).toMatchObject({ status: 'ok', text: 'three' });
  await again[Symbol.asyncDispose]();
});

test('a script says how a summary goes wrong, and what was said before is dropped instead', async () => {
  await using file = script({
    version: 1,
    model: { contextWindow: 10_000 },
    turns: [{ text: words(3_000) }, { text: words(3_000) }, { text: 'three' }],
    summaries: [{ text: 'half', stop: 'length' }],
  });
  await using t = await bootKern([]);
  await t.view.use(agentSessions).load();
  await t.view.use(sessions).load();
  await using session = await t.view
    .service(agentSessions)
    .create({ view: t.view, cwd: t.view.where.cwd, model: file.model, persist: false });
  const ends: unknown[] = [];
  session.subscribe((event) => {
    if (event.type === 'auto_compaction_end') ends.push(event);
  });
  await session.prompt({ text: 'first' });
  await session.prompt({ text: 'second' });
  expect(await session.prompt({ text: 'third' })).toMatchObject({ status: 'ok', text: 'three' });
  expect(ends).toMatchObject([{ result: { strategy: 'truncate' }, errorMessage: expect.stringContaining('cut off') }]);
});
