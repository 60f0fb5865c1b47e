import type { Message } from 'kern/contracts';
import { expect, test } from 'vitest';
import { Interruption } from './interruption.ts';
import { Recovery } from './retry/recovery.ts';
import { fakeModel } from './test/fakes.ts';
import { call, calls, expectPaired, Interrupts, noted, ok, run, says, wordsOf } from './test/world.ts';

test('an interrupt stops the reply, keeps what was said of it, and is heard at once', async () => {
  const interrupts = new Interrupts();
  const { end, kept, requests } = await run({
    interrupts,
    replies: [
      async function* () {
        yield { type: 'text_start', contentIndex: 0 };
        yield { type: 'text_delta', contentIndex: 0, delta: 'I will delete ' };
        interrupts.add('no, stop');
        // A provider that does not listen: it never ends by itself.
        await new Promise(() => {});
      },
      says('stopped'),
    ],
  });
  expect(end).toEqual({ status: 'ok', turns: 2 });
  expect(kept[1]).toMatchObject({ stopReason: 'aborted', content: [{ text: 'I will delete ' }] });
  expect(requests[1]?.map(wordsOf)).toEqual(['go', 'I will delete ', 'no, stop']);
});

test.each([
  [undefined, 'the person interrupted'],
  [new Interruption('the rule no-any'), 'the rule no-any interrupted'],
])('calls that were complete are not made, and answered with who interrupted', async (reason, who) => {
  const interrupts = new Interrupts();
  const ran: string[] = [];
  const { kept, end } = await run({
    interrupts,
    tools: { a: async ({ id }) => noted(ran, id) },
    replies: [
      async function* () {
        yield { type: 'toolcall_end', contentIndex: 0, toolCall: call('c1', 'a') };
        interrupts.add('no', reason);
        await new Promise(() => {});
      },
      says('fine'),
    ],
  });
  expect(ran).toEqual([]);
  expect(wordsOf(kept[2] as Message)).toBe(`a was not run: ${who}.`);
  expectPaired(kept);
  expect(end.status).toBe('ok');
});

test('tools that have finished keep their results, those that run are stopped, and the run goes on', async () => {
  for (const sequential of [['fast', 'slow'], []]) {
    const interrupts = new Interrupts();
    const { end, kept, requests } = await run({
      interrupts,
      sequential,
      tools: {
        fast: async () => ok('done'),
        slow: (_call, signal) => {
          setTimeout(() => interrupts.add('leave that'), 5);
          return new Promise((resolve) =>
            signal.addEventListener('abort', () => resolve(ok('half', { isError: true }))),
          );
        },
      },
      replies: [calls(call('c1', 'fast'), call('c2', 'slow')), says('left')],
    });
    expect(end).toEqual({ status: 'ok', turns: 2 });
    expect(requests[1]?.map(wordsOf).slice(2)).toEqual(['done', 'half', 'leave that']);
    expectPaired(kept);
  }
});

test('what interrupts comes before what steers, and an abort beats both', async () => {
  const interrupts = new Interrupts();
  const steering: string[] = [];
  const { requests } = await run({
    interrupts,
    steering,
    replies: [
      async function* () {
        yield { type: 'text_start', contentIndex: 0 };
        steering.push('softly');
        interrupts.add('now');
        await new Promise(() => {});
      },
      says('ok'),
    ],
  });
  expect(requests[1]?.map(wordsOf)).toEqual(['go', '', 'now', 'softly']);
  const controller = new AbortController();
  const both = new Interrupts();
  const aborted = await run({
    controller,
    interrupts: both,
    replies: [
      async function* () {
        yield { type: 'text_start', contentIndex: 0 };
        both.add('never said');
        controller.abort();
        await new Promise(() => {});
      },
    ],
  });
  expect(aborted.end).toEqual({ status: 'aborted', turns: 1 });
  expect(aborted.requests).toHaveLength(1);
});

test('an interrupt before the request goes with it, and stops nothing', async () => {
  const interrupts = new Interrupts();
  const { requests, kept, end } = await run({
    interrupts,
    replies: [says('ok')],
    keep: (message) => {
      if (message.role === 'user' && wordsOf(message) === 'go') interrupts.add('and this');
      return message;
    },
  });
  expect(requests.map((messages) => messages.map(wordsOf))).toEqual([['go', 'and this']]);
  expect(kept).toHaveLength(3);
  expect(end).toEqual({ status: 'ok', turns: 1 });
});

test('an interrupt ends the wait before a retry, and the failure is none', async () => {
  const interrupts = new Interrupts();
  const recovery = new Recovery({
    settings: () => ({
      enabled: true,
      maxRetries: 3,
      baseDelayMs: 600_000,
      maxDelayMs: 600_000,
      cooldownMs: 0,
      fallbackChains: {},
    }),
    emit: (event) => {
      if (event.type === 'auto_retry_start') setTimeout(() => interrupts.add('never mind'), 5);
    },
    model: () => fakeModel(),
    useModel: () => {},
    resolve: async () => fakeModel(),
    makeRoom: async () => false,
    load: () => ({ systemPrompt: '', tools: [], messages: [] }),
  });
  const { end, requests } = await run({
    interrupts,
    attempts: () => recovery.attempts(),
    replies: [
      () => {
        throw Object.assign(new Error('busy'), { code: 'model_overloaded' });
      },
      says('ok'),
    ],
  });
  expect(end).toEqual({ status: 'ok', turns: 2 });
  expect(requests[1]?.map(wordsOf)).toEqual(['go', 'never mind']);
});
