import type { Message, ToolResult } from 'kern/contracts';
import { expect, test } from 'vitest';
import { assistant, call, calls, done, expectPaired, noted, ok, run, says, wordsOf } from './test/world.ts';

test("two calls side by side give pi's order of events", async () => {
  const first = Promise.withResolvers<void>();
  const { lines, kept } = await run({
    replies: [calls(call('c1', 'slow'), call('c2', 'fast')), says('done')],
    tools: {
      slow: async (_call, _signal, onUpdate) => {
        onUpdate(ok('1'));
        await first.promise;
        return ok('slow');
      },
      fast: async () => ok('fast'),
    },
    on: (event) => {
      if (event.type === 'tool_execution_end' && event.toolCallId === 'c2') first.resolve();
    },
  });
  expect(lines.slice(5)).toEqual([
    'tool_execution_start c1',
    'tool_execution_start c2',
    'tool_execution_update c1',
    'tool_execution_end c2',
    'tool_execution_end c1',
    'message_start result c1',
    'message_end result c1',
    'message_start result c2',
    'message_end result c2',
    'turn_end',
    'turn_start',
    'message_start assistant',
    'update text_start',
    'update text_delta',
    'update text_end',
    'message_end assistant',
    'turn_end',
  ]);
  expectPaired(kept);
});

test('calls are prepared in source order, one after the other, before any of them runs', async () => {
  const log: string[] = [];
  await run({
    replies: [calls(call('c1', 'a'), call('c2', 'a'), call('c3', 'a')), says('done')],
    prepare: async ({ id }) => {
      log.push(`judge ${id}`);
      await new Promise((resolve) => setTimeout(resolve, id === 'c1' ? 20 : 1));
      log.push(`judged ${id}`);
      return { state: 'ready', execute: async () => noted(log, `run ${id}`) };
    },
  });
  expect(log).toEqual([
    'judge c1',
    'judged c1',
    'judge c2',
    'judged c2',
    'judge c3',
    'judged c3',
    'run c1',
    'run c2',
    'run c3',
  ]);
});

test('side by side means at the same time', async () => {
  let running = 0;
  let most = 0;
  const tool = async (): Promise<ToolResult> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 10));
    running -= 1;
    return ok('');
  };
  await run({
    replies: [calls(...Array.from({ length: 30 }, (_, index) => call(`c${index}`, 'a'))), says('')],
    tools: { a: tool },
  });
  expect(most).toBe(30);
});

test('one sequential tool makes the whole batch sequential, each result kept before the next call is judged', async () => {
  const log: string[] = [];
  const { kept } = await run({
    replies: [calls(call('c1', 'a'), call('c2', 'write'), call('c3', 'a')), says('done')],
    sequential: ['write'],
    prepare: ({ id }) => {
      log.push(`judge ${id}`);
      return {
        state: 'ready',
        execute: async () => {
          log.push(`start ${id}`);
          await new Promise((resolve) => setTimeout(resolve, 5));
          log.push(`end ${id}`);
          return ok(id);
        },
      };
    },
    keep: (message) => {
      if (message.role === 'toolResult') log.push(`kept ${message.toolCallId}`);
      return message;
    },
  });
  expect(log).toEqual(['c1', 'c2', 'c3'].flatMap((id) => [`judge ${id}`, `start ${id}`, `end ${id}`, `kept ${id}`]));
  expectPaired(kept);
});

test('a refused call is answered at once and the others run', async () => {
  const ran: string[] = [];
  const { kept, lines } = await run({
    replies: [calls(call('c1', 'gone'), call('c2', 'a')), says('done')],
    tools: { a: async ({ id }) => noted(ran, id) },
  });
  expect(ran).toEqual(['c2']);
  expect(lines.indexOf('tool_execution_end c1')).toBeLessThan(lines.indexOf('tool_execution_start c2'));
  expect(kept[2]).toMatchObject({ role: 'toolResult', toolCallId: 'c1', isError: true });
  expect(kept[3]).toMatchObject({ toolCallId: 'c2', isError: false });
});

test('arguments that are no JSON object are answered without asking the tool', async () => {
  const { kept } = await run({
    replies: [calls({ ...call('c1', 'a'), invalidArguments: '{"path": "a.t' }), says('done')],
    prepare: () => {
      throw new Error('must not be asked');
    },
  });
  expect(kept[2]).toMatchObject({ isError: true });
  expect(wordsOf(kept[2] as Message)).toContain('{"path": "a.t');
});

test('a judgement or a tool that throws is an error result, and the run goes on', async () => {
  const { kept, end } = await run({
    replies: [calls(call('c1', 'bad'), call('c2', 'throws')), says('done')],
    prepare: ({ name }) => {
      if (name === 'bad') throw new Error('no judge');
      return {
        state: 'ready',
        execute: async () => {
          throw new Error('broken');
        },
      };
    },
  });
  expect(end.status).toBe('ok');
  expect(kept.slice(2, 4).map(wordsOf)).toEqual(['bad could not be prepared: no judge', 'throws failed: broken']);
});

test('a reply cut off by the output limit runs none of its calls, says so, and the loop goes on', async () => {
  const { kept, end, lines } = await run({
    replies: [[done(assistant([call('c1', 'a'), call('c2', 'a')], { stopReason: 'length' }))], says('smaller now')],
    tools: {
      a: async () => {
        throw new Error('must not run');
      },
    },
  });
  expect(end).toEqual({ status: 'ok', turns: 2 });
  for (const message of kept.slice(2, 4)) {
    expect(message).toMatchObject({ isError: true });
    expect(wordsOf(message)).toContain('output limit');
  }
  expect(lines).toContain('tool_execution_start c1');
  expect(lines).toContain('tool_execution_end c2');
  expectPaired(kept);
});

test('the run ends only when every result of a batch says so', async () => {
  const tools = { stop: async () => ok('', { terminate: true }), go: async () => ok('') };
  const all = await run({ replies: [calls(call('c1', 'stop'), call('c2', 'stop'))], tools });
  expect(all.end).toEqual({ status: 'ok', turns: 1 });
  const some = await run({ replies: [calls(call('c1', 'stop'), call('c2', 'go')), says('more')], tools });
  expect(some.end).toEqual({ status: 'ok', turns: 2 });
});

test('updates that come after the end of a call are not told', async () => {
  let late: (() => void) | undefined;
  const { events } = await run({
    replies: [calls(call('c1', 'a')), says('done')],
    tools: {
      a: async (_call, _signal, onUpdate) => {
        onUpdate(ok('in time'));
        late = () => onUpdate(ok('late'));
        return ok('');
      },
    },
    on: (event) => {
      if (event.type === 'turn_end') late?.();
    },
  });
  expect(events.filter(({ type }) => type === 'tool_execution_update')).toHaveLength(1);
});

test('what was kept of a reply is what runs', async () => {
  const ran: string[] = [];
  const { kept } = await run({
    replies: [calls(call('c1', 'a'), call('c2', 'a')), says('done')],
    tools: { a: async ({ id }) => noted(ran, id) },
    keep: (message) =>
      message.role === 'assistant'
        ? { ...message, content: message.content.filter((part) => part.type !== 'toolCall' || part.id !== 'c1') }
        : message,
  });
  expect(ran).toEqual(['c2']);
  expectPaired(kept);
});
