import {
  type AgentEvent,
  type CompactionJob,
  compactionEnd,
  compactionPins,
  compactionStart,
  compactionStrategies,
  type Job,
  jobs,
  type SessionEntry,
  sessionBeforeCompact,
  sessionCompact,
} from 'kern/contracts';
import { definePlugin, KernError } from 'kern/plugin';
import { fakeClock } from 'kern/testing';
import { expect, test } from 'vitest';
import { calls, fakeModel, replyOf, says } from '../test/fakes.ts';
import type { Ground } from './plan.ts';
import { nothingToCompact } from './report.ts';
import { assistant, calling, counted, type Desk, desk, never, result, textsOf, user, words } from './test/desk.ts';
import { Tokens } from './tokens.ts';

const kinds = (events: readonly AgentEvent[]): readonly string[] => events.map(({ type }) => type);
const endOf = (d: Desk) =>
  d.events.find((event) => event.type === 'auto_compaction_end') as Extract<
    AgentEvent,
    { type: 'auto_compaction_end' }
  >;
const compactionIn = (d: Desk) =>
  d.store.entries().findLast((entry) => entry.type === 'compaction') as Extract<SessionEntry, { type: 'compaction' }>;
/** Ten turns of 1,000 tokens: over the limit of a window of 10,000, half of which is reserved. */
const talk = (d: Desk): void => {
  for (let turn = 1; turn <= 10; turn += 1)
    d.say(user(`ask ${turn} ${words(500)}`), assistant(`say ${turn} ${words(500)}`));
};

test('a full context is summed up, the newest turns stay as they were said', async () => {
  await using d = await desk();
  talk(d);
  await d.compactor.beforePrompt(never());
  const texts = textsOf(d.context());
  expect(texts[0]).toContain('what was');
  expect(texts.at(-1)).toContain('say 10');
  expect(texts.at(-2)).toContain('ask 10');
  expect(d.compactor.contextTokens()).toBeLessThan(5_000);
  expect(kinds(d.events)).toEqual(['auto_compaction_start', 'auto_compaction_end']);
  expect(endOf(d)).toMatchObject({ reason: 'threshold', aborted: false, willRetry: false });
  expect(endOf(d)).not.toHaveProperty('errorMessage');
  expect(endOf(d).result).toMatchObject({ entryId: compactionIn(d).id, strategy: 'summary', summary: 'what was' });
  expect(endOf(d).result?.tokensAfter).toBeLessThan(endOf(d).result?.tokensBefore ?? 0);
  await d.compactor.beforeTurn(never());
  expect(d.events).toHaveLength(2);
});

test('the model is asked for plain text, beside the conversation', async () => {
  await using d = await desk();
  talk(d);
  await d.compactor.beforePrompt(never());
  expect(d.asked[0]).toMatchObject({ purpose: 'summary', thinking: 'off', tools: [], sessionId: 's1' });
  expect(d.asked[0]?.maxOutput).toBeLessThanOrEqual(4_000);
  expect(JSON.stringify(d.asked[0]?.messages)).toContain('ask 1 ');
});

test('a context that is not full is let be, and so is a full one where it is switched off', async () => {
  await using d = await desk();
  d.say(user(words(2_000)), assistant(words(2_000)));
  await d.compactor.beforePrompt(never());
  expect(d.events).toEqual([]);
  await using off = await desk({ settings: { enabled: false } });
  talk(off);
  await off.compactor.beforePrompt(never());
  expect(await off.compactor.afterOverflow(never())).toBe(false);
  expect(off.events).toEqual([]);
});

test('a new session whose head is nearly as large as the window is not compacted in circles: what is big is told once', async () => {
  const tools = [{ name: 'mcp', description: words(8_000), inputSchema: {} }];
  await using d = await desk({ head: { system: words(500), tools } });
  d.say(user('hello'), assistant('hi'));
  for (let turn = 0; turn < 5; turn += 1) await d.compactor.beforeTurn(never());
  expect(kinds(d.events)).toEqual(['auto_compaction_start', 'auto_compaction_end']);
  expect(endOf(d).result).toBeUndefined();
  expect(endOf(d).errorMessage).toMatch(/1 tool ~8,00\d.*switch off tools/s);
  expect(d.asked).toEqual([]);
});

test.for([
  ['fails', () => says('', { stopReason: 'error', errorCode: 'model_bad_request', errorMessage: 'no' }), 'no'],
  ['is empty', () => says('  '), 'it is empty'],
  ['is cut off', () => says('half', { stopReason: 'length' }), 'cut off'],
  ['calls tools', () => calls(['c1', 'read']), 'called tools'],
  ['is as long as what it sums up', () => says(words(9_000)), 'no shorter'],
] as const)('a summary that %s gives way to dropping the oldest messages, and that is said', async ([, reply, why]) => {
  await using d = await desk({ reply: reply() });
  talk(d);
  await d.compactor.beforePrompt(never());
  expect(endOf(d).result?.strategy).toBe('truncate');
  expect(endOf(d).errorMessage).toContain(why);
  const texts = textsOf(d.context());
  expect(texts[0]).toContain('were dropped');
  expect(texts[0]).toContain('- ask 1 ');
  expect(texts.at(-2)).toContain('ask 10');
  expect(d.compactor.contextTokens()).toBeLessThan(5_000);
});

test('what passes is tried again', async () => {
  let tries = 0;
  await using d = await desk({
    reply: (request, signal) => {
      tries += 1;
      if (tries < 3) throw new KernError('model_overloaded', 'busy');
      return says('at last')(request, signal);
    },
  });
  talk(d);
  await d.compactor.beforePrompt(never());
  expect(endOf(d).result?.summary).toBe('at last');
});

test('what is too long for one request is summed up in several, each going on from the notes before', async () => {
  const small = fakeModel({ id: 'fake/small', model: 'small', contextWindow: 3_000, maxOutput: 500 });
  const large = fakeModel({ contextWindow: 10_000, maxOutput: 4_000 });
  let nth = 0;
  await using d = await desk({
    models: [large, small],
    settings: { model: 'fake/small' },
    reply: (request, signal) => {
      nth += 1;
      return says(`notes ${nth}`)(request, signal);
    },
  });
  talk(d);
  await d.compactor.beforePrompt(never());
  expect(d.asked.length).toBeGreaterThan(2);
  expect(d.asked.every(({ model }) => model.id === 'fake/small')).toBe(true);
  expect(JSON.stringify(d.asked[1]?.messages)).toContain('<notes>\\nnotes 1');
  for (const { messages } of d.asked) expect(JSON.stringify(messages).length / 4).toBeLessThan(3_000);
  expect(endOf(d).result?.summary).toBe(`notes ${nth}`);
});

test("a model for summaries that is gone is told, and the session's own is asked", async () => {
  await using d = await desk({ settings: { model: 'fake/gone' } });
  talk(d);
  await d.compactor.beforePrompt(never());
  expect(endOf(d).result?.strategy).toBe('summary');
  expect(endOf(d).errorMessage).toContain('plugins.agent.compaction.model');
});

test('the next summary goes on from the last one, without what was pinned', async () => {
  await using d = await desk({ plugins: [pinning('todo', '- [ ] water the plants\n')] });
  talk(d);
  await d.compactor.beforePrompt(never());
  talk(d);
  await d.compactor.beforePrompt(never());
  const asked = JSON.stringify(d.asked[1]?.messages);
  expect(asked).toContain('<notes>\\nwhat was\\n</notes>');
  expect(asked).not.toContain('water the plants');
  expect(asked).not.toContain('ask 1 ');
  expect(textsOf(d.context()).filter((text) => text.includes('water the plants'))).toHaveLength(1);
});

const pinning = (id: string, text: string) =>
  definePlugin({ id: `pin-${id}`, setup: (ctx) => ctx.tap(compactionPins, () => ({ id, title: `The ${id}`, text })) });

test('what plugins pin, and the files, are told again byte for byte right after the summary', async () => {
  const catalogue = '  skills:\n\t- review\r\n- deploy  \n';
  await using d = await desk({ plugins: [pinning('skills', catalogue)] });
  d.say(calling('c1', 'read', { path: '/w/a.ts' }), result('c1', 'read', 'text'));
  d.say(calling('c2', 'write', { path: '/w/b.ts' }), result('c2', 'write', 'ok'));
  talk(d);
  await d.compactor.beforePrompt(never());
  for (let again = 0; again < 3; again += 1) {
    const [first] = textsOf(d.context());
    expect(first).toContain(`what was\n\n## Files changed so far\n\n/w/b.ts\n\n## Files read so far\n\n/w/a.ts`);
    expect(first).toContain(`## The skills\n\n${catalogue}`);
    talk(d);
    await d.compactor.beforePrompt(never());
  }
  expect(compactionIn(d).details).toMatchObject({ readFiles: ['/w/a.ts'], modifiedFiles: ['/w/b.ts'] });
  expect(endOf(d).result?.pins.map(({ id }) => id)).toEqual(['kern.files-changed', 'kern.files-read', 'skills']);
});

test('commands that run in the background are told; those that ended, and those of others, are not', async () => {
  const job = (id: string, rest: Partial<Job>): Job =>
    ({
      id,
      label: 'npm run dev\n# more',
      sessionId: 's1',
      cwd: '/w',
      log: { id: '7', path: '/x/7' },
      startedAt: 0,
      end: undefined,
      ...rest,
    }) as Job;
  const all = [job('j1', {}), job('j2', { end: { failure: 'x' } }), job('j3', { sessionId: 's2' })];
  const processes = definePlugin({
    id: 'processes',
    declares: [jobs],
    setup: (ctx) =>
      ctx.contribute(jobs, {
        start: () => {
          throw new Error('not in this test');
        },
        list: (sessionId) => all.filter((one) => sessionId === undefined || one.sessionId === sessionId),
      }),
  });
  await using d = await desk({ plugins: [processes] });
  talk(d);
  const { pins } = await d.compactor.compact({}, never());
  expect(pins).toEqual([
    {
      id: 'kern.jobs',
      title: 'Commands that run in the background',
      text: 'j1: npm run dev (in /w, since 1970-01-01T00:00:00.000Z; its output: artifact://7)',
    },
  ]);
});

test('a pin that cannot be had fails nothing', async () => {
  const broken = definePlugin({
    id: 'broken',
    setup: (ctx) =>
      ctx.tap(compactionPins, () => {
        throw new Error('no');
      }),
  });
  await using d = await desk({ plugins: [broken, pinning('plan', 'first this')] });
  talk(d);
  await d.compactor.beforePrompt(never());
  expect(textsOf(d.context())[0]).toContain('first this');
});

test('in a turn that is too long to stay, what the person asked for is told word for word, pictures too', async () => {
  await using d = await desk();
  const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
  d.say(user('Fix  the\tbug.\n', [image]));
  const work = (from: number): void => {
    for (let nth = from; nth < from + 8; nth += 1)
      d.say(
        replyOf([
          { type: 'text', text: words(900) },
          { type: 'toolCall', id: `c${nth}`, name: 'bash', arguments: {} },
        ]),
        result(`c${nth}`, 'bash', 'ok'),
      );
  };
  work(1);
  await d.compactor.beforeTurn(never());
  d.say(user('And the tests.'));
  work(10);
  await d.compactor.beforeTurn(never());
  work(20);
  await d.compactor.beforeTurn(never());
  expect(d.store.entries().filter(({ type }) => type === 'compaction')).toHaveLength(3);
  const [first] = d.context();
  expect(textsOf(d.context())[0]).toContain('word for word\n\nFix  the\tbug.\n\n\nAnd the tests.');
  expect(first?.message.content).toContainEqual(image);
  expect(d.compactor.contextTokens()).toBeLessThan(5_000);
});

test('the beginning of a divided turn is summed up apart', async () => {
  await using d = await desk({
    reply: (request, signal) =>
      says(JSON.stringify(request.messages).includes('beginning of a turn') ? 'the beginning' : 'the past')(
        request,
        signal,
      ),
  });
  d.say(user(`old ${words(500)}`), assistant(words(500)), user(`new ${words(900)}`));
  for (let nth = 0; nth < 9; nth += 1)
    d.say(
      replyOf([
        { type: 'text', text: words(600) },
        { type: 'toolCall', id: `c${nth}`, name: 'bash', arguments: {} },
      ]),
      result(`c${nth}`, 'bash', 'ok'),
    );
  await d.compactor.beforeTurn(never());
  expect(endOf(d).result?.summary).toMatch(/^the past\n\n---\n\n.*the beginning$/s);
});

test('old results are left out before anything is summed up, if that is enough', async () => {
  await using d = await desk({ window: 100_000 });
  d.say(user('look'));
  for (let nth = 0; nth < 9; nth += 1) d.say(calling(`c${nth}`, 'read'), result(`c${nth}`, 'read', words(10_000)));
  await d.compactor.beforeTurn(never());
  expect(endOf(d).result).toMatchObject({ strategy: 'prune', summarized: 0 });
  expect(d.asked).toEqual([]);
  const texts = textsOf(d.context());
  expect(texts[2]).toContain('was left out');
  expect(texts.at(-1)).toHaveLength(40_000);
  expect(d.compactor.contextTokens()).toBeLessThan(83_616);
  await d.compactor.undo();
  expect(textsOf(d.context())[2]).toHaveLength(40_000);
});

test('a request that was too long gets one other try; the next time it is an error', async () => {
  await using d = await desk();
  d.say(user(words(500)), assistant(words(500)), user('now'));
  expect(await d.compactor.afterOverflow(never())).toBe(true);
  expect(endOf(d)).toMatchObject({ reason: 'overflow', willRetry: true });
  expect(textsOf(d.context()).at(-1)).toBe('now');
  expect(await d.compactor.afterOverflow(never())).toBe(false);
  expect(d.events).toHaveLength(2);
  d.say(assistant(words(600)), user('more'));
  expect(await d.compactor.afterOverflow(never())).toBe(true);
});

test('an overflow with nothing to compact is no silent end; what is big is told as the estimate that it is', async () => {
  await using d = await desk({ head: { system: 'x'.repeat(832), tools: [] } });
  d.say(user(words(9_000)));
  expect(await d.compactor.afterOverflow(never())).toBe(false);
  expect(kinds(d.events)).toEqual(['auto_compaction_start', 'auto_compaction_end']);
  expect(endOf(d).errorMessage).toMatch(/nothing of it can be summed up.*the largest of them, of the person/s);
  expect(endOf(d).errorMessage).toContain('By estimate: the system prompt ~208, 0 tools ~0, 1 message ~');
});

test('a reply that counted four times what was estimated makes no part of a context bigger than it is', () => {
  const head = { system: 'x'.repeat(832), tools: [] };
  const ground = { entries: [], head, tokens: new Tokens(), reason: 'overflow' } as const;
  const measured = { tokens: 832, estimate: 208, ratio: 4 };
  const budget = { window: 800, limit: 700, summary: 100 };
  expect(nothingToCompact({ ...ground, measured, budget } as unknown as Ground).message).toMatch(
    /takes about 832 of 800 tokens.*the system prompt ~208,/,
  );
});

test('hooks are told once each, in order', async () => {
  const told: string[] = [];
  const recorder = definePlugin({
    id: 'recorder',
    setup(ctx) {
      ctx.tap(compactionStart, ({ reason }) => void told.push(`start ${reason}`));
      ctx.tap(sessionBeforeCompact, ({ job }) => void told.push(`before ${job.messages.length}`));
      ctx.tap(sessionCompact, ({ result }) => void told.push(`compact ${result.entryId}`));
      ctx.tap(compactionEnd, ({ result }) => void told.push(`end ${result?.entryId}`));
    },
  });
  await using d = await desk({ plugins: [recorder] });
  talk(d);
  await d.compactor.compact({}, never());
  const { id } = compactionIn(d);
  expect(told).toEqual(['start manual', expect.stringMatching(/^before \d+$/), `compact ${id}`, `end ${id}`]);
});

test('a plugin gives the summary, with what it wants to keep', async () => {
  const own = definePlugin({
    id: 'own',
    setup: (ctx) =>
      ctx.tap(sessionBeforeCompact, ({ job }) => ({ summary: `${job.messages.length} things`, details: { mine: 1 } })),
  });
  await using d = await desk({ plugins: [own] });
  talk(d);
  const done = await d.compactor.compact({}, never());
  expect(done).toMatchObject({ strategy: 'plugin', summary: expect.stringMatching(/^\d+ things$/) });
  expect(compactionIn(d)).toMatchObject({ fromHook: true, details: { mine: 1 } });
  expect(d.asked).toEqual([]);
});

test('a plugin refuses', async () => {
  const no = definePlugin({ id: 'no', setup: (ctx) => ctx.tap(sessionBeforeCompact, () => ({ refuse: 'not now' })) });
  await using d = await desk({ plugins: [no] });
  talk(d);
  await expect(d.compactor.compact({}, never())).rejects.toMatchObject({ code: 'compaction_refused' });
  expect(endOf(d)).toMatchObject({ result: undefined, errorMessage: expect.stringContaining('not now') });
  expect(compactionIn(d)).toBeUndefined();
});

test('a strategy of a plugin is asked by its name; one that is not there is said', async () => {
  let seen: CompactionJob | undefined;
  const haiku = definePlugin({
    id: 'haiku',
    setup: (ctx) =>
      ctx.contribute(compactionStrategies, {
        id: 'haiku/haiku',
        summary: 'In three lines.',
        summarize: async (job) => {
          seen = job;
          return { summary: await job.ask({ system: 's', text: 'three lines', maxTokens: 50 }) };
        },
      }),
  });
  await using d = await desk({ plugins: [haiku] });
  talk(d);
  const done = await d.compactor.compact({ strategy: 'haiku/haiku', instructions: 'short' }, never());
  expect(done).toMatchObject({ strategy: 'haiku/haiku', summary: 'what was' });
  expect(seen).toMatchObject({ reason: 'manual', instructions: 'short', previousSummary: undefined });
  await expect(d.compactor.compact({ strategy: 'sonnet' }, never())).rejects.toMatchObject({
    code: 'compaction_strategy_unknown',
    hint: expect.stringContaining('summary, truncate'),
  });
});

test('a preview changes nothing, and says what would be done', async () => {
  await using d = await desk();
  talk(d);
  const before = d.store.leaf;
  const preview = await d.compactor.compact({ preview: true }, never());
  expect(preview).toMatchObject({ entryId: undefined, strategy: 'summary', summary: 'what was' });
  expect(d.store.leaf).toBe(before);
  expect(d.events).toEqual([]);
  const done = await d.compactor.compact({}, never());
  expect(done).toMatchObject({ ...preview, entryId: compactionIn(d).id });
});

test('a compaction is undone, what was said since stays; the one before is in force again', async () => {
  await using d = await desk();
  await expect(d.compactor.undo()).rejects.toMatchObject({ code: 'nothing_to_undo' });
  talk(d);
  await d.compactor.compact({}, never());
  d.say(user('later'), assistant(words(3_000)));
  const between = textsOf(d.context());
  await d.compactor.compact({}, never());
  d.say(user('last'));
  await d.compactor.undo();
  expect(textsOf(d.context())).toEqual([...between, 'last']);
  await d.compactor.undo();
  const texts = textsOf(d.context());
  expect(texts[0]).toContain('ask 1 ');
  expect(texts).toHaveLength(23);
  await d.compactor.beforePrompt(never());
  expect(d.events.filter(({ type }) => type === 'auto_compaction_start')).toHaveLength(2);
  await expect(d.compactor.undo()).rejects.toMatchObject({ code: 'nothing_to_undo' });
});

test('it is stopped at once, also where nobody listens, and the session is as before', async () => {
  const deaf = definePlugin({
    id: 'deaf',
    setup: (ctx) =>
      ctx.contribute(compactionStrategies, {
        id: 'deaf/deaf',
        summary: 'Never ends.',
        summarize: () => new Promise(() => {}),
      }),
  });
  await using d = await desk({ plugins: [deaf], clock: fakeClock() });
  talk(d);
  const before = d.store.leaf;
  const controller = new AbortController();
  const running = d.compactor.compact({ strategy: 'deaf/deaf' }, controller.signal);
  await expect(d.compactor.compact({}, never())).rejects.toMatchObject({ code: 'compaction_running' });
  while (d.events.length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  expect(d.store.leaf).toBe(before);
  expect(endOf(d)).toMatchObject({ aborted: true, result: undefined });
  expect(endOf(d)).not.toHaveProperty('errorMessage');
  await d.compactor.compact({}, never());
});

test('a summary of a session that went on elsewhere meanwhile is not written', async () => {
  let elsewhere = (): void => {};
  await using d = await desk({
    reply: (request, signal) => {
      elsewhere();
      return says('late')(request, signal);
    },
  });
  talk(d);
  elsewhere = () => {
    void d.store.moveLeaf(d.context()[1]?.entryId ?? null);
    d.rebuild();
  };
  await expect(d.compactor.compact({}, never())).rejects.toMatchObject({ code: 'compaction_stale' });
  expect(compactionIn(d)).toBeUndefined();
});

test('who asks for it gets it also of little, but not of one short turn', async () => {
  await using d = await desk();
  d.say(user('a'), assistant('b'));
  await expect(d.compactor.compact({}, never())).rejects.toMatchObject({ code: 'nothing_to_compact' });
  expect(d.events).toEqual([]);
  d.say(user('c'), assistant('d'));
  expect(await d.compactor.compact({}, never())).toMatchObject({ summarized: 2, kept: 2 });
  expect(textsOf(d.context()).slice(1)).toEqual(['c', 'd']);
});

test('what was counted says how far off estimates are, and as much less stays', async () => {
  await using plain = await desk({ window: 40_000 });
  await using dense = await desk({ window: 40_000 });
  for (const d of [plain, dense]) {
    for (let turn = 1; turn <= 12; turn += 1) d.say(user(words(1_000)), assistant(words(1_000)));
  }
  dense.say(user('x'), assistant('x', counted(48_000)));
  plain.say(user('x'), assistant('x'));
  const most = await plain.compactor.compact({ preview: true }, never());
  const least = await dense.compactor.compact({ preview: true }, never());
  expect(least.kept).toBeLessThan(most.kept);
  expect(least.tokensBefore).toBe(48_000);
});
