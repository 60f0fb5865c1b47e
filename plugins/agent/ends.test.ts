import type { Message } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { expect, test } from 'vitest';
import { assistant, call, calls, done, expectPaired, noted, ok, run, says, text, wordsOf } from './test/world.ts';

test('an abort while the model speaks keeps the text and the complete calls, answers them, and starts no other turn', async () => {
  const controller = new AbortController();
  const { end, kept, requests, open } = await run({
    controller,
    steering: [],
    followUps: ['never said'],
    replies: [
      async function* () {
        yield { type: 'thinking_start', contentIndex: 0 };
        yield { type: 'thinking_delta', contentIndex: 0, delta: 'hm' };
        yield { type: 'text_start', contentIndex: 1 };
        yield { type: 'text_delta', contentIndex: 1, delta: 'I will ' };
        yield { type: 'toolcall_start', contentIndex: 2, id: 'c1', toolName: 'a' };
        yield { type: 'toolcall_end', contentIndex: 2, toolCall: call('c1', 'a') };
        yield { type: 'toolcall_start', contentIndex: 3, id: 'c2', toolName: 'a' };
        yield { type: 'toolcall_delta', contentIndex: 3, delta: '{"pa' };
        controller.abort();
        // A provider that does not listen: it never ends by itself.
        await new Promise(() => {});
      },
    ],
  });
  expect(end).toEqual({ status: 'aborted', turns: 1 });
  expect(requests).toHaveLength(1);
  expect(kept[1]).toMatchObject({
    stopReason: 'aborted',
    content: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'I will ' },
      { type: 'toolCall', id: 'c1' },
    ],
  });
  expect(kept[2]).toMatchObject({ role: 'toolResult', toolCallId: 'c1', isError: true });
  expectPaired(kept);
  expect(open).toBe(0);
});

test('an abort between the calls of a batch answers the rest without running them', async () => {
  for (const sequential of [['a'], []]) {
    const controller = new AbortController();
    const ran: string[] = [];
    const { end, kept, lines } = await run({
      controller,
      sequential,
      replies: [calls(call('c1', 'a'), call('c2', 'a'), call('c3', 'a'))],
      prepare: ({ id }) => {
        if (id === 'c2') controller.abort();
        return { state: 'ready', execute: async () => noted(ran, id) };
      },
      followUps: ['never said'],
    });
    expect(end).toEqual({ status: 'aborted', turns: 1 });
    expect(ran).toEqual(sequential.length > 0 ? ['c1'] : []);
    expect(kept.slice(2).map((message) => message.role === 'toolResult' && message.isError)).toEqual([
      sequential.length === 0,
      true,
      true,
    ]);
    expectPaired(kept);
    expect(lines.filter((entry) => entry.startsWith('tool_execution_end'))).toHaveLength(3);
  }
});

test('an aborted tool may give its own last word, and one that does not end is answered for', async () => {
  const controller = new AbortController();
  const { kept, end } = await run({
    controller,
    graceMs: 30,
    replies: [calls(call('c1', 'polite'), call('c2', 'deaf'))],
    tools: {
      polite: (_call, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve(ok('Command aborted', { isError: true }))),
        ),
      deaf: () => {
        setTimeout(() => controller.abort(), 5);
        return new Promise(() => {});
      },
    },
  });
  expect(end.status).toBe('aborted');
  expect(kept.slice(2).map(wordsOf)).toEqual([
    'Command aborted',
    expect.stringContaining('deaf was aborted and did not end'),
  ]);
});

test('an abort does not wait for the answer of a person who is being asked', async () => {
  const controller = new AbortController();
  const { end, kept } = await run({
    controller,
    replies: [calls(call('c1', 'a'), call('c2', 'a'))],
    prepare: () => {
      setTimeout(() => controller.abort(), 5);
      return new Promise(() => {});
    },
  });
  expect(end.status).toBe('aborted');
  expect(kept.slice(2).map(wordsOf)).toEqual(Array.from({ length: 2 }, () => 'a was not run: the turn was aborted.'));
});

test('a stream that throws ends the run with its code; what was said is kept, and its calls are answered', async () => {
  const { end, kept, lines } = await run({
    followUps: ['never said'],
    replies: [
      async function* () {
        yield* text('so far');
        yield { type: 'toolcall_end', contentIndex: 1, toolCall: call('c1', 'a') };
        throw new KernError('model_disconnected', 'the connection broke');
      },
    ],
  });
  expect(end).toMatchObject({ status: 'error', turns: 1, failure: { code: 'model_disconnected' } });
  expect(kept[1]).toMatchObject({
    stopReason: 'error',
    errorCode: 'model_disconnected',
    errorMessage: 'the connection broke',
    content: [{ text: 'so far' }, { id: 'c1' }],
  });
  expectPaired(kept);
  expect(lines.at(-1)).toBe('turn_end');
});

test('a request that fails before a word has a message of its own', async () => {
  const { end, lines, kept } = await run({
    replies: [
      () => {
        throw new KernError('model_unauthorized', 'no key');
      },
    ],
  });
  expect(end).toMatchObject({ status: 'error', failure: { code: 'model_unauthorized' } });
  expect(lines.slice(3)).toEqual(['message_start assistant', 'message_end assistant', 'turn_end']);
  expect(kept[1]).toMatchObject({ content: [], stopReason: 'error', errorCode: 'model_unauthorized' });
});

test('a stream that ends early is cut off, and a provider may say its failure in the message', async () => {
  expect((await run({ replies: [text('half')] })).end).toMatchObject({
    status: 'error',
    failure: { code: 'model_disconnected' },
  });
  const said = await run({
    replies: [[done(assistant([], { stopReason: 'error', errorCode: 'model_overloaded', errorMessage: 'busy' }))]],
  });
  expect(said.end).toMatchObject({ status: 'error', failure: { code: 'model_overloaded', message: 'busy' } });
});

test('an abort before the first turn opens none', async () => {
  const controller = new AbortController();
  controller.abort();
  const { end, lines } = await run({ controller, replies: [] });
  expect(end).toEqual({ status: 'aborted', turns: 0 });
  expect(lines).toEqual([]);
});

test('calls of a reply that hit the limit are answered, the model may do it in smaller ones, and not for ever', async () => {
  const cut = () => [done(assistant([call('c1', 'write')], { stopReason: 'length' }))];
  const { end, kept } = await run({ replies: [cut(), cut(), says('in parts')] });
  expect(end).toEqual({ status: 'ok', turns: 3 });
  expect(wordsOf(kept[2] as Message)).toContain('hit the output limit');
  const stuck = await run({ replies: Array.from({ length: 9 }, cut) });
  expect(stuck.end).toMatchObject({ status: 'error', turns: 4, failure: { code: 'model_output_limit' } });
  expectPaired(stuck.kept);
});

test('calls of a reply that was refused are not run', async () => {
  const ran: string[] = [];
  const { end, kept } = await run({
    tools: { a: async ({ id }) => noted(ran, id) },
    replies: [[done(assistant([call('c1', 'a')], { stopReason: 'refusal' }))], says('another way')],
  });
  expect(ran).toEqual([]);
  expect(wordsOf(kept[2] as Message)).toBe('a was not run: the model declined to answer.');
  expect(end.status).toBe('ok');
});

test('a call that was announced and never came is asked for once, then an error', async () => {
  const lost = says('Let me look.', { stopReason: 'toolUse' });
  const { end, requests } = await run({ replies: [lost, says('here')] });
  expect(end).toEqual({ status: 'ok', turns: 2 });
  expect(requests[1]?.map(wordsOf).at(-1)).toContain('no call arrived');
  const again = await run({ replies: [lost, lost, says('never')] });
  expect(again.end).toMatchObject({ status: 'error', turns: 2, failure: { code: 'model_lost_call' } });
});

test('a call that a plugin took out of the reply is not one that was lost', async () => {
  const { end, requests } = await run({
    replies: [calls(call('c1', 'a'))],
    keep: (message) => (message.role === 'assistant' ? { ...message, content: [] } : message),
  });
  expect(end).toEqual({ status: 'ok', turns: 1 });
  expect(requests).toHaveLength(1);
});

test('an unknown tool and arguments that are no JSON are told to the model, which goes on', async () => {
  const broken = { ...call('c2', 'a'), invalidArguments: '{"path":' };
  const { end, kept } = await run({ replies: [calls(call('c1', 'nope'), broken), says('ok')], tools: {} });
  expect(end.status).toBe('ok');
  expect(kept.slice(2, 4).map(wordsOf)).toEqual([
    'unknown tool nope',
    expect.stringContaining('not a JSON object, so it was not run'),
  ]);
});

test('calls without an id, or with the same, get one each', async () => {
  const ran: string[] = [];
  const { kept } = await run({
    tools: { a: async ({ id }) => noted(ran, id) },
    replies: [calls(call('', 'a'), call('x', 'a'), call('x', 'a'), call('', 'a')), says('ok')],
  });
  expect(ran).toEqual(['call', 'x', 'x_2', 'call_2']);
  expectPaired(kept);
});
