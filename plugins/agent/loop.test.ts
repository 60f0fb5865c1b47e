import type { Message } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { expect, test } from 'vitest';
import { call, calls, ok, run, says, wordsOf } from './test/world.ts';

test('a reply without calls ends the run after one turn', async () => {
  const { end, lines, open } = await run({ replies: [says('hello')] });
  expect(end).toEqual({ status: 'ok', turns: 1 });
  expect(lines).toEqual([
    'turn_start',
    'message_start user',
    'message_end user',
    'message_start assistant',
    'update text_start',
    'update text_delta',
    'update text_end',
    'message_end assistant',
    'turn_end',
  ]);
  expect(open).toBe(0);
});

test('a last reply that is cut off or refused ends with an error that says so', async () => {
  const cut = await run({ replies: [says('half an ans', { stopReason: 'length' })] });
  expect(cut.end).toMatchObject({ status: 'error', failure: { code: 'model_output_limit' } });
  const refused = await run({ replies: [says('', { stopReason: 'refusal' })] });
  expect(refused.end).toMatchObject({ status: 'error', failure: { code: 'model_refusal' } });
});

test('turns that wait for nothing outside leave moments in which signals are heard', async () => {
  let heard = 0;
  const listening = setInterval(() => {
    heard += 1;
  }, 0);
  const replies = [...Array.from({ length: 200 }, (_, at) => calls(call(`c${at}`, 'nope'))), says('done')];
  const { end } = await run({ replies });
  clearInterval(listening);
  expect(end).toEqual({ status: 'ok', turns: 201 });
  expect(heard).toBeGreaterThan(0);
});

test('steering is said after the whole batch, follow-ups when the model would stop', async () => {
  const steering: string[] = [];
  const { requests, end } = await run({
    replies: [calls(call('c1', 'a'), call('c2', 'a')), says('first'), says('second')],
    tools: {
      a: async ({ id }) => {
        if (id === 'c1') steering.push('faster');
        return ok('');
      },
    },
    steering,
    followUps: ['and then?'],
  });
  expect(end.turns).toBe(3);
  expect(requests[1]?.map(wordsOf).slice(-3)).toEqual(['', '', 'faster']);
  expect(requests[2]?.map(wordsOf).slice(-2)).toEqual(['first', 'and then?']);
});

test('steering that came before the first request goes with it', async () => {
  const { requests } = await run({ replies: [says('ok')], steering: ['wait, also this'] });
  expect(requests[0]?.map(wordsOf)).toEqual(['go', 'wait, also this']);
});

test('notices of a turn are read before what waits', async () => {
  const { requests } = await run(
    {
      replies: [calls(call('c1', 'a')), says('ok')],
      tools: { a: async () => ok('r') },
      steering: ['s'],
      notices: (turn) =>
        turn === 1
          ? [
              {
                role: 'custom',
                customType: 'n',
                content: [{ type: 'text', text: 'notice' }],
                display: false,
                timestamp: 0,
              },
            ]
          : [],
    },
    [],
  );
  expect(requests[1]?.map(wordsOf)).toEqual(['s', 'toolCall', 'r', 'notice']);
});

test('twenty thousand deltas cost one event each and no copy of the message', async () => {
  let updates = 0;
  const { kept } = await run({
    replies: [
      async function* () {
        yield { type: 'text_start', contentIndex: 0 };
        for (let index = 0; index < 20_000; index += 1) yield { type: 'text_delta', contentIndex: 0, delta: 'word ' };
        throw new KernError('model_disconnected', 'cut');
      },
    ],
    on: (event) => {
      if (event.type === 'message_update') {
        updates += 1;
        expect(Object.keys(event)).toEqual(['type', 'assistantMessageEvent']);
      }
    },
  });
  expect(updates).toBe(20_001);
  expect(wordsOf(kept[1] as Message)).toHaveLength(100_000);
});
