import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../contract.ts';
import {
  aModel,
  answered,
  aRequest,
  collected,
  failureOfReply,
  messageOfReply,
  readFace,
  resulted,
  said,
} from '../test/requests.ts';
import { type Answer, anthropicBlock, anthropicEvents, inPieces, modelServer } from '../test/server.ts';
import { anthropicReply } from './anthropic.ts';
import type { Endpoint } from './endpoint.ts';

const text = (index: number, ...texts: readonly string[]) =>
  anthropicBlock(index, { type: 'text', text: '' }, ...texts.map((one) => ({ type: 'text_delta', text: one })));
const hello: Answer = { pieces: anthropicEvents(text(0, 'Hel', 'lo')) };
const cached = { cache_control: { type: 'ephemeral' } };

type Server = Awaited<ReturnType<typeof modelServer>>;
const ask = (
  server: Server,
  request: Partial<ModelRequest> = {},
  changes: Partial<Endpoint> = {},
  signal = new AbortController().signal,
) =>
  anthropicReply(
    { provider: 'test', baseUrl: server.url, apiKey: 'key-123456', ...changes },
    aRequest(request),
    signal,
  );

async function bodyOf(request: Partial<ModelRequest>, changes: Partial<Endpoint> = {}) {
  await using server = await modelServer(hello);
  await collected(ask(server, request, changes));
  return server.heard[0]?.body;
}

test('text comes as deltas and as a message, with usage and cost', async () => {
  const usage = { output_tokens: 9, cache_read_input_tokens: 100, cache_creation_input_tokens: 40 };
  await using server = await modelServer({ pieces: anthropicEvents(text(0, 'Hel', 'lo'), { usage }) });
  const model = aModel({ cost: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 } });
  const events = await collected(ask(server, { model }));
  expect(events.map(({ type }) => type)).toEqual(['text_start', 'text_delta', 'text_delta', 'text_end', 'done']);
  const done = events.at(-1);
  if (done?.type !== 'done') throw new Error('no done');
  expect(done.message).toMatchObject({
    content: [{ type: 'text', text: 'Hello' }],
    api: 'anthropic-messages',
    provider: 'test',
    model: 'm',
    stopReason: 'stop',
    responseId: 'msg_1',
  });
  expect(done.message.usage).toMatchObject({ input: 12, output: 9, cacheRead: 100, cacheWrite: 40, totalTokens: 161 });
  expect(done.message.usage.cost?.total).toBeCloseTo((12 * 4 + 9 * 20 + 100 * 0.2 + 40 * 5) / 1e6, 12);
});

test.each(['', '/v1', '/v1/', '/'])('a base URL that ends in %j leads to one /v1', async (tail) => {
  await using server = await modelServer(hello);
  await collected(ask(server, {}, { baseUrl: server.url + tail }));
  expect(server.heard[0]?.url).toBe('/v1/messages');
  expect(server.heard[0]?.headers).toMatchObject({ 'x-api-key': 'key-123456', 'anthropic-version': '2023-06-01' });
});

test.each([1, 13, 100_000])('a reply cut into pieces of %i bytes is the same', async (size) => {
  await using server = await modelServer({
    pieces: inPieces(anthropicEvents(text(0, 'grün 🙂 ', '"ok"\n', 'end')), size),
  });
  const deltas = (await collected(ask(server))).flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
  expect(deltas).toEqual(['grün 🙂 ', '"ok"\n', 'end']);
});

const thoughtful: Answer = {
  pieces: anthropicEvents(
    [
      ...anthropicBlock(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'let me ' },
        { type: 'thinking_delta', thinking: 'see' },
        { type: 'signature_delta', signature: 'sig-1' },
      ),
      ...anthropicBlock(1, { type: 'redacted_thinking', data: 'secret-1' }),
      ...anthropicBlock(
        2,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'signature_delta', signature: 'sig-2' },
      ),
      ...text(3, 'Both.'),
      ...anthropicBlock(
        4,
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} },
        { type: 'input_json_delta', partial_json: '' },
        { type: 'input_json_delta', partial_json: '{"pa' },
        { type: 'input_json_delta', partial_json: 'th":"a"}' },
      ),
      ...anthropicBlock(5, { type: 'tool_use', id: 'toolu_2', name: 'ls', input: {} }),
    ],
    { stop: 'tool_use' },
  ),
};

test('reasoning, hidden and shown, and parallel calls', async () => {
  await using server = await modelServer(thoughtful);
  const events = await collected(ask(server));
  expect(events.at(-1)).toMatchObject({
    type: 'done',
    message: {
      stopReason: 'toolUse',
      content: [
        { type: 'thinking', thinking: 'let me see', thinkingSignature: 'sig-1' },
        { type: 'thinking', thinking: '', thinkingSignature: 'secret-1', redacted: true },
        { type: 'thinking', thinking: '', thinkingSignature: 'sig-2' },
        { type: 'text', text: 'Both.' },
        { type: 'toolCall', id: 'toolu_1', name: 'read', arguments: { path: 'a' } },
        { type: 'toolCall', id: 'toolu_2', name: 'ls', arguments: {} },
      ],
    },
  });
  expect(events).toContainEqual({ type: 'thinking_end', contentIndex: 0, content: 'let me see', signature: 'sig-1' });
  expect(events.filter(({ type }) => type === 'thinking_delta')).toHaveLength(2);
});

test('reasoning goes back exactly as it came, calls and results with it', async () => {
  await using server = await modelServer(thoughtful);
  const message = await messageOfReply(ask(server));
  const body = await bodyOf({
    messages: [
      said('go'),
      message,
      resulted('toolu_1', 'read', 'text a'),
      resulted('toolu_2', 'ls', 'no folder', { isError: true }),
    ],
  });
  expect(body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'go', ...cached }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'let me see', signature: 'sig-1' },
        { type: 'redacted_thinking', data: 'secret-1' },
        { type: 'thinking', thinking: '', signature: 'sig-2' },
        { type: 'text', text: 'Both.' },
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
        { type: 'tool_use', id: 'toolu_2', name: 'ls', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'text a' },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: 'no folder', is_error: true, ...cached },
      ],
    },
  ]);
  const other = await bodyOf({
    model: aModel({ model: 'other' }),
    messages: [said('go'), message, resulted('toolu_1', 'read', 'x')],
  });
  expect(JSON.stringify(other)).not.toMatch(/sig-1|secret-1|let me see/);
});

test('unsigned reasoning of a reply that was cut stays here', async () => {
  const cut = answered(
    [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'a' },
    ],
    { api: 'anthropic-messages', stopReason: 'aborted' },
  );
  expect((await bodyOf({ messages: [said('x'), cut, said('y')] })).messages[1].content).toEqual([
    { type: 'text', text: 'a' },
  ]);
});

test('a result holds its images, and says when it is an error', async () => {
  const image = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' };
  const calls = answered([{ type: 'toolCall', id: 'a', name: 'read', arguments: {} }]);
  const body = await bodyOf({
    messages: [said('x'), calls, resulted('a', 'read', '', { content: [{ type: 'text', text: 'see' }, image] })],
  });
  expect(body.messages[2].content[0].content).toEqual([
    { type: 'text', text: 'see' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
  ]);
});

test('the prompt can be cached after tools and system, at its end, and where the end was before', async () => {
  const messages = [
    said('one'),
    answered([{ type: 'text', text: 'a' }]),
    said('two'),
    answered([{ type: 'text', text: 'b' }]),
    said('three'),
  ];
  const body = await bodyOf({ messages, tools: [readFace, { ...readFace, name: 'other' }] });
  expect(body.system).toEqual([{ type: 'text', text: 'Be brief.', ...cached }]);
  expect(body.tools.map((tool: object) => 'cache_control' in tool)).toEqual([false, true]);
  expect(body.tools[0]).toEqual({ name: 'read', description: 'Reads a file.', input_schema: readFace.inputSchema });
  const marked = body.messages.map(({ content }: { content: readonly object[] }) =>
    content.some((part) => 'cache_control' in part),
  );
  expect(marked).toEqual([false, false, true, false, true]);
  expect(body).toMatchObject({ model: 'm', max_tokens: 4000, stream: true });
});

test('levels of thinking become what the model understands', async () => {
  const thinking = ['off', 'low', 'medium', 'high'] as const;
  const ask = (model: string, level: 'off' | 'high') =>
    bodyOf({ model: aModel({ model, maxOutput: 64_000, thinking }), thinking: level });
  expect(await ask('claude-opus-4-6', 'high')).toMatchObject({
    thinking: { type: 'adaptive' },
    output_config: { effort: 'high' },
  });
  expect(await ask('claude-haiku-4-5', 'high')).toMatchObject({ thinking: { type: 'enabled' } });
  expect(await ask('claude-opus-4-6', 'off')).toMatchObject({ thinking: { type: 'disabled' } });
  expect(await bodyOf({ thinking: 'high' })).not.toHaveProperty('thinking');
});

test('only Anthropic itself is asked to stream arguments early', async () => {
  expect((await bodyOf({ tools: [readFace] }, { official: true })).tools[0]).toMatchObject({
    eager_input_streaming: true,
  });
});

test.each([
  ['max_tokens', 'length'],
  ['refusal', 'refusal'],
  ['stop_sequence', 'stop'],
  ['model_context_window_exceeded', 'length'],
])('the end %s is %s', async (stop, stopReason) => {
  await using server = await modelServer({ pieces: anthropicEvents(text(0, 'x'), { stop }) });
  expect(await messageOfReply(ask(server))).toMatchObject({ stopReason });
});

test('arguments cut off by the limit are kept as they came', async () => {
  const call = anthropicBlock(
    0,
    { type: 'tool_use', id: 't', name: 'write', input: {} },
    { type: 'input_json_delta', partial_json: '{"path":"a","content":"lon' },
  );
  await using server = await modelServer({ pieces: anthropicEvents(call, { stop: 'max_tokens' }) });
  expect(await messageOfReply(ask(server))).toMatchObject({
    stopReason: 'length',
    content: [{ type: 'toolCall', arguments: {}, invalidArguments: '{"path":"a","content":"lon' }],
  });
});

describe('how a reply ends before its end', () => {
  test('an abort', async () => {
    await using server = await modelServer({ pieces: [...hello.pieces.slice(0, 3), 'HANG'] });
    const controller = new AbortController();
    const reading = (async () => {
      for await (const event of ask(server, {}, {}, controller.signal))
        if (event.type === 'text_delta') controller.abort();
    })();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    await server.released(0);
  });

  test.each([
    ['cut in the text', [...hello.pieces.slice(0, 3), 'CUT' as const], 1],
    ['ended in the text', hello.pieces.slice(0, 3), 1],
    ['ended before the text', hello.pieces.slice(0, 1), 0],
    ['ended after the text', hello.pieces.slice(0, -1), 2],
  ])('%s', async (_, pieces, deltas) => {
    await using server = await modelServer({ pieces });
    const { error, before } = await failureOfReply(ask(server));
    expect(error).toMatchObject({ code: 'model_disconnected' });
    expect(before.filter(({ type }) => type === 'text_delta')).toHaveLength(deltas);
  });

  test('silence', async () => {
    await using server = await modelServer({ pieces: [...hello.pieces.slice(0, 3), 'HANG'] });
    expect((await failureOfReply(ask(server, {}, { idleTimeoutMs: 80 }))).error).toMatchObject({
      code: 'model_stalled',
    });
  });

  test('an error instead of a reply, and inside one', async () => {
    const overloaded =
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    const refused: Answer = {
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '3' },
      pieces: ['{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}'],
    };
    const poor: Answer = {
      status: 400,
      headers: { 'content-type': 'application/json' },
      pieces: ['{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}'],
    };
    await using server = await modelServer(
      refused,
      poor,
      { pieces: [overloaded] },
      { pieces: [...hello.pieces.slice(0, 3), overloaded] },
    );
    expect((await failureOfReply(ask(server))).error).toMatchObject({
      code: 'model_rate_limited',
      retryAfterMs: 3000,
      message: expect.stringContaining('slow down'),
    });
    expect((await failureOfReply(ask(server))).error).toMatchObject({ code: 'model_quota' });
    expect((await failureOfReply(ask(server))).error).toMatchObject({
      code: 'model_overloaded',
      message: expect.stringContaining('Overloaded'),
    });
    expect((await failureOfReply(ask(server))).error).toMatchObject({ code: 'model_overloaded' });
  });

  test('without a key of its own none is taken from the environment', async () => {
    await using server = await modelServer(hello);
    const before = process.env.ANTHROPIC_API_KEY;
    process.env.ANTHROPIC_API_KEY = 'from-the-environment';
    try {
      await collected(ask(server, {}, { apiKey: undefined }));
    } finally {
      if (before === undefined) delete process.env.ANTHROPIC_API_KEY;
      else process.env.ANTHROPIC_API_KEY = before;
    }
    expect(JSON.stringify(server.heard[0]?.headers)).not.toContain('from-the-environment');
  });
});
