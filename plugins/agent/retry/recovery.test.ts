import { type AgentEvent, type Model, ModelError } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { expect, test } from 'vitest';
import { fakeModel } from '../test/fakes.ts';
import {
  assistant,
  call,
  calls,
  done,
  type Reply,
  run,
  says,
  stream,
  text,
  user,
  type World,
  wordsOf,
} from '../test/world.ts';
import type { RetrySettings } from './delay.ts';
import { Recovery, type RecoveryParts } from './recovery.ts';

const settings: RetrySettings = {
  enabled: true,
  maxRetries: 3,
  baseDelayMs: 2_000,
  maxDelayMs: 60_000,
  cooldownMs: 300_000,
  fallbackChains: {},
};
const transient = (rest: ConstructorParameters<typeof ModelError>[2] = {}) =>
  new ModelError('model_overloaded', 'fake answered 529', rest);
const failing = (error: unknown, before: Reply = []): Reply =>
  async function* () {
    yield* typeof before === 'function' ? before() : stream(before);
    throw error;
  };
const thinking: Reply = [
  { type: 'thinking_start', contentIndex: 0 },
  { type: 'thinking_delta', contentIndex: 0, delta: 'hm' },
];

interface Recovering extends Partial<Omit<RecoveryParts, 'settings'>> {
  readonly retry?: Partial<RetrySettings> | (() => Partial<RetrySettings>);
  readonly known?: readonly Model[];
  readonly prompts?: number;
}

/** Runs a loop whose failures a recovery answers; sleeps take no time and are noted. */
async function recovering(world: World, { retry = {}, known = [], ...parts }: Recovering = {}) {
  const events: AgentEvent[] = [];
  const sleeps: number[] = [];
  const switches: string[] = [];
  let model = fakeModel();
  const recovery = new Recovery({
    settings: () => ({ ...settings, ...(typeof retry === 'function' ? retry() : retry) }),
    emit: (event) => events.push(event),
    model: () => model,
    useModel: (next, reason, asFallback) => {
      model = next;
      switches.push(`${next.id}${asFallback ? ' stands in' : ''}: ${reason}`);
    },
    resolve: async (id) => {
      const found = known.find((candidate) => candidate.id === id);
      if (found === undefined) throw new KernError('model_unknown', 'no key');
      return found;
    },
    makeRoom: async () => false,
    load: () => ({ systemPrompt: 'be brief', tools: [], messages: [user('go')] }),
    sleep: async (ms) => void sleeps.push(ms),
    random: () => 0,
    ...parts,
  });
  const ran = await run({ attempts: () => recovery.attempts(), ...world });
  return { ...ran, told: events, sleeps, switches, recovery, model: () => model };
}

test('a failure that passes is asked again, each wait twice the one before, and every try is told', async () => {
  const { end, told, sleeps, requests, hidden, kept, lines } = await recovering({
    replies: [failing(transient()), failing(transient(), thinking), says('here')],
  });
  expect(end).toEqual({ status: 'ok', turns: 1 });
  expect(sleeps).toEqual([2_000, 4_000]);
  const start = {
    type: 'auto_retry_start',
    maxAttempts: 3,
    errorCode: 'model_overloaded',
    errorMessage: 'fake answered 529',
  };
  expect(told).toEqual([
    { ...start, attempt: 1, delayMs: 2_000 },
    { ...start, attempt: 2, delayMs: 4_000 },
    { type: 'auto_retry_end', success: true, attempt: 2 },
  ]);
  // The failed ones stay in the session, and no request carries them.
  expect(kept.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'assistant']);
  expect(hidden).toEqual([kept[1], kept[2]]);
  expect(requests.map((messages) => messages.map(wordsOf))).toEqual([['go'], ['go'], ['go']]);
  expect(lines.filter((line) => line === 'turn_start' || line === 'turn_end')).toEqual(['turn_start', 'turn_end']);
});

test('after so many tries the failure is told, with how often it was tried', async () => {
  const { end, told, requests } = await recovering({ replies: [1, 2, 3, 4, 5].map(() => failing(transient())) });
  expect(requests).toHaveLength(4);
  expect(end).toMatchObject({
    status: 'error',
    failure: { code: 'model_overloaded', message: 'fake answered 529 (tried 4 times)' },
  });
  expect(told.at(-1)).toEqual({
    type: 'auto_retry_end',
    success: false,
    attempt: 3,
    finalError: 'fake answered 529 (tried 4 times)',
  });
});

test('a server that says when to come back is taken at its word, and one that asks for too long fails at once', async () => {
  const soon = await recovering({ replies: [failing(transient({ retryAfterMs: 7_000 })), says('here')] });
  expect(soon.sleeps).toEqual([7_000]);
  const late = await recovering({ replies: [failing(transient({ retryAfterMs: 125_000 }))] });
  expect(late.sleeps).toEqual([]);
  expect(late.told).toEqual([]);
  expect(late.end.failure).toMatchObject({
    code: 'model_overloaded',
    message: 'fake answered 529 (it asks to wait 2 min 5 s, more than the 1 min of retry.maxDelayMs)',
    hint: expect.stringContaining('try again in 2 min 5 s'),
  });
});

test.each([
  ['text', failing(transient(), text('I will'))],
  ['a complete call', failing(transient(), [{ type: 'toolcall_end', contentIndex: 0, toolCall: call('c1', 'a') }])],
])('once %s was shown nothing is asked again', async (_, reply) => {
  const { end, told, requests } = await recovering({ replies: [reply, says('twice')] });
  expect(requests).toHaveLength(1);
  expect(told).toEqual([]);
  expect(end).toMatchObject({ status: 'error', failure: { code: 'model_overloaded' } });
});

test.each(['model_quota', 'model_unauthorized', 'model_not_found', 'model_bad_request', 'model_refusal'])(
  '%s is no failure that passes',
  async (code) => {
    const failure = new KernError(code, 'no');
    const { end, requests, told } = await recovering({ replies: [failing(failure), says('never')] });
    expect(requests).toHaveLength(1);
    expect(told).toEqual([]);
    expect(end).toEqual({ status: 'error', turns: 1, failure });
  },
);

test('an abort ends a wait at once; nothing more is asked', async () => {
  const controller = new AbortController();
  const { end, requests, told } = await recovering(
    { controller, replies: [failing(transient()), says('never')] },
    {
      sleep: (_ms, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          controller.abort();
        }),
    },
  );
  expect(end).toEqual({ status: 'aborted', turns: 1 });
  expect(requests).toHaveLength(1);
  expect(told.at(-1)).toEqual({ type: 'auto_retry_end', success: false, attempt: 1, finalError: 'aborted' });
});

test('the settings count as they are at the failure', async () => {
  let enabled = true;
  const { requests, end } = await recovering(
    {
      replies: [failing(transient()), failing(transient()), says('never')],
      on: (event) => {
        if (event.type === 'message_start') enabled = event.message.role === 'user';
      },
    },
    { retry: () => ({ enabled }) },
  );
  expect(requests).toHaveLength(1);
  expect(end).toMatchObject({ status: 'error', failure: { message: 'fake answered 529' } });
});

// --- Other models -----------------------------------------------------------------------------------------------------

const b = fakeModel({ id: 'other/b', provider: 'other', model: 'b' });
const c = fakeModel({ id: 'other/c', provider: 'other', model: 'c' });

test('when the tries of a model are used up the next of the chain is asked, and one that cannot be asked is passed over', async () => {
  const { end, told, switches, requests } = await recovering(
    { replies: [failing(transient()), failing(transient()), failing(transient()), says('from b')] },
    { retry: { maxRetries: 1, fallbackChains: { default: ['gone/x', 'other/b', 'other/c'] } }, known: [b, c] },
  );
  expect(end.status).toBe('ok');
  expect(requests).toHaveLength(4);
  expect(switches).toEqual([
    'other/b stands in: fake/m could not answer: fake answered 529; passed over: gone/x (no key)',
  ]);
  expect(told).toMatchObject([
    { type: 'auto_retry_start', attempt: 1, delayMs: 2_000 },
    { type: 'auto_retry_start', attempt: 2, delayMs: 0, model: 'other/b' },
    { type: 'auto_retry_start', attempt: 3, delayMs: 2_000 },
    { type: 'auto_retry_end', success: true, attempt: 3 },
  ]);
});

test('an account without money moves on without a try, also where a server asks for too long', async () => {
  for (const failure of [new ModelError('model_quota', 'no credit'), transient({ retryAfterMs: 600_000 })]) {
    const { end, sleeps, model } = await recovering(
      { replies: [failing(failure), says('from b')] },
      { retry: { fallbackChains: { default: ['other/b'] } }, known: [b] },
    );
    expect(end.status).toBe('ok');
    expect(sleeps).toEqual([]);
    expect(model().id).toBe('other/b');
  }
});

test('a turn ends although every model of the chain fails, each asked in its turn', async () => {
  const { end, requests } = await recovering(
    { replies: Array.from({ length: 20 }, () => failing(transient())) },
    {
      retry: { maxRetries: 1, fallbackChains: { default: ['other/b', 'other/c', 'fake/m', 'other/b'] } },
      known: [b, c],
    },
  );
  expect(requests).toHaveLength(6);
  expect(end.failure).toMatchObject({ message: 'fake answered 529 (tried 6 times)' });
});

test('with the next prompt it goes back to the chosen model, once that has rested', async () => {
  let now = 0;
  const { recovery, switches, model } = await recovering(
    { replies: [failing(new ModelError('model_quota', 'no credit')), says('from b')] },
    { retry: { fallbackChains: { default: ['other/b'] } }, known: [b, fakeModel()], now: () => now },
  );
  const { signal } = new AbortController();
  await recovery.restore(signal);
  expect(model().id).toBe('other/b');
  now = 300_000;
  await recovery.restore(signal);
  expect(model().id).toBe('fake/m');
  expect(switches.at(-1)).toBe('fake/m: it has rested since it could not answer');
  await recovery.restore(signal);
  expect(switches).toHaveLength(2);
});

test('a model that somebody chose meanwhile stays', async () => {
  let now = 0;
  const { recovery, switches } = await recovering(
    { replies: [failing(new ModelError('model_quota', 'no credit')), says('from b')] },
    { retry: { fallbackChains: { default: ['other/b'] } }, known: [b, c], now: () => now },
  );
  recovery.parts.useModel(c, 'chosen', false);
  now = 300_000;
  await recovery.restore(new AbortController().signal);
  expect(switches.at(-1)).toBe('other/c: chosen');
});

// --- Too long, and nothing at all ---------------------------------------------------------------------------------------

const overflow = new ModelError('model_context_overflow', 'prompt is too long: 9 tokens > 8 maximum');

test('a request that is too long is asked again once there is room', async () => {
  let made = 0;
  const { end, told, requests, hidden } = await recovering(
    { replies: [failing(overflow), says('here')] },
    { makeRoom: async () => ++made > 0 },
  );
  expect(end.status).toBe('ok');
  expect(made).toBe(1);
  expect(requests).toHaveLength(2);
  expect(hidden).toHaveLength(1);
  expect(told).toEqual([]);
});

test('one that stays too long ends with what of it is big', async () => {
  const load = { systemPrompt: 'x'.repeat(400), tools: [], messages: [user('a'), user('y'.repeat(4_000))] };
  const { end, requests } = await recovering(
    { replies: [failing(overflow), failing(overflow), says('never')] },
    { makeRoom: async () => true, load: () => load },
  );
  expect(requests).toHaveLength(2);
  expect(end.failure).toMatchObject({
    code: 'model_context_overflow',
    message:
      'the request is too long for fake/m, which takes 1,000 tokens, and nothing more could be left out of it. About 1,101 tokens: system prompt ~100, 0 tools ~0, last message (user) ~1,000, 1 message before it ~1. (prompt is too long: 9 tokens > 8 maximum)',
    hint: expect.stringContaining('name files instead of pasting'),
  });
});

test('nothing to compact, or a compaction that fails, is an error and no silence', async () => {
  const nothing = await recovering({ replies: [failing(overflow)] });
  expect(nothing.end).toMatchObject({ status: 'error', failure: { code: 'model_context_overflow' } });
  const broken = await recovering(
    { replies: [failing(overflow)] },
    {
      makeRoom: async () => {
        throw new Error('the summary failed');
      },
    },
  );
  expect(broken.end.failure).toMatchObject({ message: expect.stringContaining('(the summary failed)') });
});

const usage = (input: number) => ({ ...assistant([]).usage, input, totalTokens: input });

test('a reply of nothing to a prompt that fills the window is an overflow that the server did not call one', async () => {
  const full = [done(assistant([], { stopReason: 'length', usage: usage(999) }))];
  let made = 0;
  const { end } = await recovering({ replies: [full, says('here')] }, { makeRoom: async () => ++made > 0 });
  expect([end.status, made]).toEqual(['ok', 1]);
});

test('a reply of nothing is asked for once more in silence, and the second is an error', async () => {
  for (const empty of [
    assistant([]),
    assistant([{ type: 'text', text: ' \n' }]),
    assistant([{ type: 'thinking', thinking: 'hm' }]),
    assistant([], { stopReason: 'toolUse' }),
  ]) {
    const better = await recovering({ replies: [[done(empty)], says('here')] });
    expect(better.end).toEqual({ status: 'ok', turns: 1 });
    expect(better.told).toEqual([]);
    expect(better.requests[1]?.map(wordsOf)).toEqual(['go']);
    const worse = await recovering({ replies: [[done(empty)], [done(empty)], says('never')] });
    expect(worse.end.failure).toMatchObject({
      code: 'model_empty_reply',
      hint: expect.stringContaining('another model'),
    });
  }
});

test('a refusal and an output limit without a word are what they say, not nothing', async () => {
  for (const [stopReason, code] of [
    ['refusal', 'model_refusal'],
    ['length', 'model_output_limit'],
  ] as const) {
    const { end, requests } = await recovering({ replies: [[done(assistant([], { stopReason }))]] });
    expect(requests).toHaveLength(1);
    expect(end.failure).toMatchObject({ code });
  }
});

test('a good reply costs no step of the recovery', async () => {
  const { told, hidden, end } = await recovering({
    replies: [calls(call('c1', 'nope')), says('here')],
  });
  expect(end).toEqual({ status: 'ok', turns: 2 });
  expect([told, hidden]).toEqual([[], []]);
});
