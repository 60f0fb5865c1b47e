import { type AgentEvent, ModelError, modelSelect, retryEnd, retryStart } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { expect, test } from 'vitest';
import { calls, fakeModel, openSession, type Reply, says, textsOf, toolPlugin } from '../test/fakes.ts';

const failing = (error: unknown): Reply =>
  // biome-ignore lint/correctness/useYield: it fails before its first word
  async function* () {
    throw error;
  };
const busy = failing(new ModelError('model_overloaded', 'busy'));
const retry = (rest: Readonly<Record<string, unknown>> = {}) => ({
  config: { agent: { retry: { baseDelayMs: 1, maxRetries: 2, ...rest } } },
});
const only = (events: readonly AgentEvent[], ...types: readonly string[]) =>
  events.filter(({ type }) => types.includes(type));

test('a failed try stays in the session, hidden; hooks hear of each, and the result is that of the last', async () => {
  const heard: unknown[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup(ctx) {
      ctx.tap(retryStart, ({ attempt, error }) => void heard.push(['start', attempt, error]));
      ctx.tap(retryEnd, ({ attempt, success }) => void heard.push(['end', attempt, success]));
    },
  });
  await using s = await openSession([busy, busy, says('here'), says('more')], {
    boot: retry(),
    plugins: [listener],
  });
  const result = await s.session.prompt({ text: 'go' });
  expect(result).toMatchObject({ status: 'ok', text: 'here', turns: 1, error: undefined });
  expect(heard).toEqual([
    ['start', 1, 'busy'],
    ['start', 2, 'busy'],
    ['end', 2, true],
  ]);
  const entries = [...s.stored.values()][0]?.entries() ?? [];
  const failed = entries.filter((entry) => entry.type === 'message' && entry.message.role === 'assistant').slice(0, 2);
  const edits = entries.filter((entry) => entry.type === 'context_edit');
  expect(edits.map(({ targetId, replacement }) => [targetId, replacement])).toEqual(failed.map(({ id }) => [id, null]));
  await s.session.prompt({ text: 'and' });
  expect(textsOf(s.requests.at(-1)?.messages ?? [])).toEqual(['go', 'here', 'and']);
  const order = only(s.events, 'turn_start', 'auto_retry_start', 'auto_retry_end', 'turn_end', 'agent_end').map(
    ({ type }) => type,
  );
  expect(order.slice(0, 6)).toEqual([
    'turn_start',
    'auto_retry_start',
    'auto_retry_start',
    'auto_retry_end',
    'turn_end',
    'agent_end',
  ]);
});

test('a retry in the middle of a run keeps what the tools did', async () => {
  await using s = await openSession([calls(['c1', 'look']), busy, says('seen')], {
    boot: retry(),
    plugins: [toolPlugin('look', 'a thing')],
  });
  expect(await s.session.prompt({ text: 'go' })).toMatchObject({ status: 'ok', turns: 2 });
  expect(textsOf(s.requests[2]?.messages ?? [])).toEqual(['go', 'toolCall', 'a thing']);
});

test('an abort during a wait ends it at once', async () => {
  await using s = await openSession([busy, says('never')], { boot: retry({ baseDelayMs: 60_000 }) });
  s.session.subscribe((event) => {
    if (event.type === 'auto_retry_start') setTimeout(() => s.session.abort(), 5);
  });
  expect(await s.session.prompt({ text: 'go' })).toMatchObject({ status: 'aborted', turns: 1 });
  expect(s.requests).toHaveLength(1);
  expect(only(s.events, 'auto_retry_end')).toEqual([
    { type: 'auto_retry_end', success: false, attempt: 1, finalError: 'aborted' },
  ]);
});

test('a fallback answers in the same turn, is told and written, and stays until the chosen one has rested', async () => {
  const other = fakeModel({ id: 'other/b', provider: 'other', model: 'b' });
  const heard: unknown[] = [];
  const listener = definePlugin({
    id: 'listener',
    setup: (ctx) => ctx.tap(modelSelect, ({ model, previous }) => void heard.push([previous, model])),
  });
  await using s = await openSession([busy, says('from b'), says('b again'), says('from m')], {
    boot: retry({ maxRetries: 0, cooldownMs: 40, fallbackChains: { default: ['other/b'] } }),
    models: [fakeModel(), other],
    plugins: [listener],
  });
  expect(await s.session.prompt({ text: 'go' })).toMatchObject({ status: 'ok', text: 'from b' });
  expect(s.session.currentModel.id).toBe('other/b');
  await new Promise((resolve) => setTimeout(resolve, 60));
  await s.session.prompt({ text: 'and' });
  expect(s.requests.map(({ model }) => model.id)).toEqual(['fake/m', 'other/b', 'fake/m']);
  expect(heard).toContainEqual(['fake/m', 'other/b']);
  expect(heard.at(-1)).toEqual(['other/b', 'fake/m']);
  expect(only(s.events, 'model_changed')).toEqual([
    { type: 'model_changed', model: 'other/b', reason: 'fake/m could not answer: busy' },
    { type: 'model_changed', model: 'fake/m', reason: 'it has rested since it could not answer' },
  ]);
  const entries = [...s.stored.values()][0]?.entries() ?? [];
  expect(entries.filter((entry) => entry.type === 'model_change').map(({ modelId, role }) => [modelId, role])).toEqual([
    ['m', undefined],
    ['b', 'fallback'],
    ['m', undefined],
  ]);
});

test('a request that is too long, of a session with nothing to compact, says so', async () => {
  const tooLong = failing(new ModelError('model_context_overflow', 'prompt is too long'));
  await using s = await openSession([tooLong]);
  const { status, error } = await s.session.prompt({ text: 'x'.repeat(9_000) });
  expect(status).toBe('error');
  expect(error).toMatchObject({
    code: 'model_context_overflow',
    message: expect.stringContaining('last message (user) ~2,250'),
    hint: expect.stringContaining('name files instead of pasting'),
  });
});
