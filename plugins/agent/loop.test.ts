import type { AgentEvent, AssistantMessage, Message, StreamEvent, ToolCall, ToolResult } from 'kern/contracts';
import { KernError } from 'kern/plugin';
import { expect, test } from 'vitest';
import type { PreparedCall } from './batch.ts';
import { type LoopEnd, runLoop } from './loop.ts';
import { noUsage } from './usage.ts';

type Reply = readonly StreamEvent[] | (() => AsyncIterable<StreamEvent>);

const author = { api: 'fake', provider: 'fake', model: 'm' };
const assistant = (content: AssistantMessage['content'], rest: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: 'assistant',
  content,
  ...author,
  usage: noUsage,
  stopReason: content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop',
  timestamp: 0,
  ...rest,
});
const done = (message: AssistantMessage): StreamEvent => ({ type: 'done', message });
const text = (words: string): StreamEvent[] => [
  { type: 'text_start', contentIndex: 0 },
  { type: 'text_delta', contentIndex: 0, delta: words },
  { type: 'text_end', contentIndex: 0, content: words },
];
const says = (words: string, rest: Partial<AssistantMessage> = {}): StreamEvent[] => [
  ...text(words),
  done(assistant([{ type: 'text', text: words }], rest)),
];
const call = (id: string, name: string, args: Record<string, unknown> = {}): ToolCall => ({
  type: 'toolCall',
  id,
  name,
  arguments: args,
});
const calls = (...list: ToolCall[]): StreamEvent[] => [done(assistant(list))];
const user = (words: string): Message => ({ role: 'user', content: [{ type: 'text', text: words }], timestamp: 0 });
const ok = (words: string, rest: Partial<ToolResult> = {}): ToolResult => ({
  content: [{ type: 'text', text: words }],
  ...rest,
});
const wordsOf = (message: Message): string =>
  message.content.map((part) => ('text' in part ? part.text : part.type)).join('');

/** A tool that only says that it ran. */
function noted(log: string[], entry: string): ToolResult {
  log.push(entry);
  return ok('');
}

interface World {
  readonly replies: readonly Reply[];
  readonly tools?: Record<
    string,
    (call: ToolCall, signal: AbortSignal, onUpdate: (partial: ToolResult) => void) => Promise<ToolResult>
  >;
  readonly prepare?: (call: ToolCall) => Promise<PreparedCall> | PreparedCall | undefined;
  readonly sequential?: readonly string[];
  readonly steering?: string[];
  readonly followUps?: string[];
  readonly graceMs?: number;
  readonly notices?: (turn: number) => readonly Message[];
  readonly controller?: AbortController;
  readonly on?: (event: AgentEvent) => void;
  readonly keep?: (message: Message) => Message;
}

interface Ran {
  readonly end: LoopEnd;
  readonly events: readonly AgentEvent[];
  readonly lines: readonly string[];
  readonly kept: readonly Message[];
  /** The kept messages as each request saw them. */
  readonly requests: readonly (readonly Message[])[];
  readonly open: number;
}

async function run(world: World, first: readonly Message[] = [user('go')]): Promise<Ran> {
  const controller = world.controller ?? new AbortController();
  const kept: Message[] = [];
  const events: AgentEvent[] = [];
  const requests: (readonly Message[])[] = [];
  const ran = { open: 0 };
  const end = await runLoop(first, {
    signal: controller.signal,
    graceMs: world.graceMs ?? 2_000,
    emit: (event) => {
      events.push(event);
      world.on?.(event);
    },
    steering: () => (world.steering?.splice(0, 1) ?? []).map(user),
    followUps: () => (world.followUps?.splice(0, 1) ?? []).map(user),
    openTurn: async (index) => {
      ran.open += 1;
      return {
        author,
        notices: world.notices?.(index) ?? [],
        enter: (fn) => fn(),
        request: async () => {
          requests.push([...kept]);
          const reply = world.replies[requests.length - 1];
          if (reply === undefined) throw new Error('the test has no more replies');
          return typeof reply === 'function' ? reply() : stream(reply);
        },
        isSequential: (batch) => batch.some(({ name }) => world.sequential?.includes(name)),
        prepare: async (asked, signal) => {
          const prepared = await world.prepare?.(asked);
          if (prepared !== undefined) return prepared;
          const tool = world.tools?.[asked.name];
          if (tool === undefined)
            return { state: 'refused', result: ok(`unknown tool ${asked.name}`, { isError: true }) };
          return { state: 'ready', execute: (onUpdate) => tool(asked, signal, onUpdate) };
        },
        keep: async (message) => {
          const final = world.keep?.(message) ?? message;
          kept.push(final);
          return final;
        },
        release: () => {
          ran.open -= 1;
        },
      };
    },
  });
  return { end, events, lines: events.map(line), kept, requests, open: ran.open };
}

async function* stream(events: readonly StreamEvent[]): AsyncGenerator<StreamEvent> {
  yield* events;
}

function line(event: AgentEvent): string {
  switch (event.type) {
    case 'message_start':
    case 'message_end':
      return `${event.type} ${event.message.role === 'toolResult' ? `result ${event.message.toolCallId}` : event.message.role}`;
    case 'message_update':
      return `update ${event.assistantMessageEvent.type}`;
    case 'tool_execution_start':
    case 'tool_execution_update':
    case 'tool_execution_end':
      return `${event.type} ${event.toolCallId}`;
    default:
      return event.type;
  }
}

/** Every call that is kept has exactly one result after it, and no result stands alone. */
function expectPaired(messages: readonly Message[]): void {
  const asked = messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : [])) : [],
  );
  const answered = messages.flatMap((message) => (message.role === 'toolResult' ? [message.toolCallId] : []));
  expect(answered).toEqual(asked);
}

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

test('a last reply that is cut off or refused ends with an error that says so', async () => {
  const cut = await run({ replies: [says('half an ans', { stopReason: 'length' })] });
  expect(cut.end).toMatchObject({ status: 'error', failure: { code: 'model_output_limit' } });
  const refused = await run({ replies: [says('', { stopReason: 'refusal' })] });
  expect(refused.end).toMatchObject({ status: 'error', failure: { code: 'model_refusal' } });
});

test('the run ends only when every result of a batch says so', async () => {
  const tools = { stop: async () => ok('', { terminate: true }), go: async () => ok('') };
  const all = await run({ replies: [calls(call('c1', 'stop'), call('c2', 'stop'))], tools });
  expect(all.end).toEqual({ status: 'ok', turns: 1 });
  const some = await run({ replies: [calls(call('c1', 'stop'), call('c2', 'go')), says('more')], tools });
  expect(some.end).toEqual({ status: 'ok', turns: 2 });
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

test('a stream that ends without a reply is a bad response, and a provider may say its failure in the message', async () => {
  expect((await run({ replies: [text('half')] })).end).toMatchObject({
    status: 'error',
    failure: { code: 'model_bad_response' },
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
