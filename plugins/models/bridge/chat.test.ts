import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../contract.ts';
import { aModel, answered, aRequest, collected, messageOfReply, readFace, resulted, said } from '../test/requests.ts';
import { type Answer, chatDelta, chatEvents, inPieces, modelServer } from '../test/server.ts';
import { chatReply } from './chat.ts';
import type { Endpoint } from './endpoint.ts';

const hello = {
  pieces: chatEvents(
    chatDelta({ role: 'assistant', content: '' }),
    chatDelta({ content: 'Hel' }),
    chatDelta({ content: 'lo' }),
    chatDelta({}, 'stop'),
    {
      choices: [],
      usage: {
        prompt_tokens: 30,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    },
  ),
};

type Server = Awaited<ReturnType<typeof modelServer>>;
const at = (server: Server, changes: Partial<Endpoint> = {}): Endpoint => ({
  provider: 'test',
  baseUrl: `${server.url}/v1`,
  apiKey: 'key-123456',
  ...changes,
});
const ask = (
  server: Server,
  request: Partial<ModelRequest> = {},
  changes: Partial<Endpoint> = {},
  signal = new AbortController().signal,
) => chatReply(at(server, changes), aRequest(request), signal);

async function bodyOf(request: Partial<ModelRequest>, changes: Partial<Endpoint> = {}) {
  await using server = await modelServer(hello);
  await collected(ask(server, request, changes));
  return server.heard[0]?.body;
}

test('text comes as deltas and as a message, with usage and cost', async () => {
  await using server = await modelServer(hello);
  const model = aModel({ cost: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 0 } });
  const events = await collected(ask(server, { model }));
  expect(events.slice(0, -1)).toEqual([
    { type: 'text_start', contentIndex: 0 },
    { type: 'text_delta', contentIndex: 0, delta: 'Hel' },
    { type: 'text_delta', contentIndex: 0, delta: 'lo' },
    { type: 'text_end', contentIndex: 0, content: 'Hello' },
  ]);
  const done = events.at(-1);
  if (done?.type !== 'done') throw new Error('no done');
  const { usage, timestamp, ...rest } = done.message;
  expect(rest).toEqual({
    role: 'assistant',
    content: [{ type: 'text', text: 'Hello' }],
    api: 'openai-completions',
    provider: 'test',
    model: 'm',
    stopReason: 'stop',
    responseId: 'chatcmpl-1',
  });
  expect(usage).toMatchObject({ input: 20, output: 7, cacheRead: 10, cacheWrite: 0, reasoning: 2, totalTokens: 37 });
  expect(usage.cost?.total).toBeCloseTo((20 * 2 + 7 * 10 + 10 * 0.2) / 1e6, 12);
  expect(timestamp).toBeGreaterThan(0);
});

test('the request goes to the given base, with the key and nothing else of it', async () => {
  await using server = await modelServer(hello);
  await collected(ask(server, {}, { headers: { 'x-team': 'blue' } }));
  await collected(ask(server, {}, { baseUrl: `${server.url}/v1/`, apiKey: undefined }));
  expect(server.heard.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/chat/completions',
    'POST /v1/chat/completions',
  ]);
  expect(server.heard[0]?.headers).toMatchObject({ authorization: 'Bearer key-123456', 'x-team': 'blue' });
  expect(server.heard[1]?.headers.authorization).toBeUndefined();
  expect(server.heard[0]?.body).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ],
    stream: true,
    stream_options: { include_usage: true },
  });
});

test.each([1, 7, 100_000])('a reply cut into pieces of %i bytes is the same', async (size) => {
  const events = chatEvents(
    chatDelta({ content: 'grün 🙂 ' }),
    chatDelta({ content: '"ok"\n' }),
    chatDelta({ content: 'end' }),
    chatDelta({}, 'stop'),
  );
  await using server = await modelServer({ pieces: inPieces(events, size) });
  const deltas = (await collected(ask(server))).flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
  expect(deltas).toEqual(['grün 🙂 ', '"ok"\n', 'end']);
});

test.each(['reasoning_content', 'reasoning'])(
  'reasoning in %s becomes a thinking block before the text',
  async (field) => {
    await using server = await modelServer({
      pieces: chatEvents(
        chatDelta({ [field]: 'let me ' }),
        chatDelta({ [field]: 'see' }),
        chatDelta({ content: 'yes' }),
        chatDelta({}, 'stop'),
      ),
    });
    const { content } = await messageOfReply(ask(server));
    expect(content).toEqual([
      { type: 'thinking', thinking: 'let me see' },
      { type: 'text', text: 'yes' },
    ]);
  },
);

const parallel: Answer = {
  pieces: chatEvents(
    chatDelta({ content: 'Both.' }),
    chatDelta({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'read', arguments: '' } }] }),
    chatDelta({ tool_calls: [{ index: 0, function: { arguments: '{"pa' } }] }),
    chatDelta({
      tool_calls: [{ index: 1, id: 'c2', type: 'function', function: { name: 'bash', arguments: '{"command":' } }],
    }),
    chatDelta({ tool_calls: [{ index: 0, function: { arguments: 'th":"a"}' } }] }),
    chatDelta({ tool_calls: [{ index: 1, function: { arguments: '"ls"}' } }] }),
    chatDelta({}, 'tool_calls'),
  ),
};

test('parallel calls with arguments in pieces are put together', async () => {
  await using server = await modelServer(parallel);
  const events = await collected(ask(server));
  const done = events.at(-1);
  expect(done).toMatchObject({
    type: 'done',
    message: {
      stopReason: 'toolUse',
      content: [
        { type: 'text', text: 'Both.' },
        { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } },
        { type: 'toolCall', id: 'c2', name: 'bash', arguments: { command: 'ls' } },
      ],
    },
  });
  const text = (index: number) =>
    events
      .flatMap((event) => (event.type === 'toolcall_delta' && event.contentIndex === index ? [event.delta] : []))
      .join('');
  expect([text(1), text(2)]).toEqual(['{"path":"a"}', '{"command":"ls"}']);
  expect(events.findIndex(({ type }) => type === 'text_end')).toBeLessThan(
    events.findIndex(({ type }) => type === 'toolcall_start'),
  );
});

test('calls count as tool use also where the server says stop', async () => {
  await using server = await modelServer({
    pieces: chatEvents(
      chatDelta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'ls', arguments: '' } }] }),
      chatDelta({}, 'stop'),
    ),
  });
  expect(await messageOfReply(ask(server))).toMatchObject({
    stopReason: 'toolUse',
    content: [{ type: 'toolCall', arguments: {} }],
  });
});

test.each([
  ['cut off', '{"path":"a', 'length', 'length'],
  ['no object', '["a"]', 'tool_calls', 'toolUse'],
])('arguments that are %s are kept as they came', async (_, text, finish, stopReason) => {
  await using server = await modelServer({
    pieces: chatEvents(
      chatDelta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'read', arguments: text } }] }),
      chatDelta({}, finish),
    ),
  });
  expect(await messageOfReply(ask(server))).toMatchObject({
    stopReason,
    content: [{ type: 'toolCall', arguments: {}, invalidArguments: text }],
  });
});

test('a refusal is a refusal', async () => {
  await using server = await modelServer({
    pieces: chatEvents(chatDelta({ content: 'I will' }), chatDelta({}, 'content_filter')),
  });
  expect(await messageOfReply(ask(server))).toMatchObject({ stopReason: 'refusal' });
});

test('an event of an unknown kind does not end the reply', async () => {
  await using server = await modelServer({ pieces: ['data: {"object":"weather"}\n\n', ': ping\n\n', ...hello.pieces] });
  expect(await messageOfReply(ask(server))).toMatchObject({ content: [{ type: 'text', text: 'Hello' }] });
});

describe('what is sent', () => {
  const image = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' };

  test('tools, limits and levels, each only where there is something to say', async () => {
    const plain = await bodyOf({ thinking: 'high' });
    expect(plain).not.toHaveProperty('tools');
    expect(plain).not.toHaveProperty('reasoning_effort');
    const full = await bodyOf({
      thinking: 'minimal',
      model: aModel({ thinking: ['off', 'low', 'high'] }),
      tools: [readFace],
      maxOutput: 99,
    });
    expect(full.tools).toEqual([
      { type: 'function', function: { name: 'read', description: 'Reads a file.', parameters: readFace.inputSchema } },
    ]);
    expect(full.max_tokens).toBe(99);
    expect(full).not.toHaveProperty('reasoning_effort'); // off, where the server may not know the word
    expect(
      (await bodyOf({ thinking: 'max', model: aModel({ thinking: ['off', 'low', 'high'] }) })).reasoning_effort,
    ).toBe('high');
  });

  test('OpenAI itself gets its own names', async () => {
    const body = await bodyOf(
      { thinking: 'off', model: aModel({ thinking: ['off', 'low'] }), maxOutput: 99 },
      { official: true },
    );
    expect(body).toMatchObject({ max_completion_tokens: 99, prompt_cache_key: 's1', reasoning_effort: 'none' });
    expect(body).not.toHaveProperty('max_tokens');
  });

  test('a conversation with calls, results and announcements', async () => {
    const calls = answered(
      [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Both.' },
        { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } },
        { type: 'toolCall', id: 'c:2', name: 'bash', arguments: {}, invalidArguments: '{' },
      ],
      { api: 'openai-completions' },
    );
    const announcement = {
      role: 'custom' as const,
      customType: 'tools',
      content: [{ type: 'text' as const, text: 'tools now available: x' }],
      display: false,
      timestamp: 4,
    };
    const body = await bodyOf({
      messages: [
        said('go'),
        calls,
        resulted('c1', 'read', 'text a'),
        resulted('c:2', 'bash', 'bad', { isError: true }),
        announcement,
      ],
    });
    expect(body.messages.slice(1)).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'Both.',
        reasoning_content: 'hm',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
          { id: 'c_2', type: 'function', function: { name: 'bash', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'text a' },
      { role: 'tool', tool_call_id: 'c_2', content: 'bad' },
      { role: 'user', content: 'tools now available: x' },
    ]);
  });

  test('reasoning goes back to the model that made it only', async () => {
    const other = answered(
      [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'a' },
      ],
      { api: 'openai-completions', model: 'other' },
    );
    expect((await bodyOf({ messages: [said('x'), other, said('y')] })).messages[2]).toEqual({
      role: 'assistant',
      content: 'a',
    });
  });

  test('a call without a result gets one, and what is empty is left out', async () => {
    const body = await bodyOf({
      systemPrompt: ' ',
      messages: [
        said('go'),
        answered([{ type: 'toolCall', id: 'c1', name: 'read', arguments: {} }], { stopReason: 'aborted' }),
        answered([{ type: 'text', text: ' ' }]),
        resulted('lost', 'read', 'x'),
        said('again'),
      ],
    });
    expect(body.messages).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'This call was interrupted; it has no result.' },
      { role: 'user', content: 'again' },
    ]);
  });

  test('images of a result follow in a message, never as text', async () => {
    const calls = answered([
      { type: 'toolCall', id: 'c1', name: 'read', arguments: {} },
      { type: 'toolCall', id: 'c2', name: 'read', arguments: {} },
    ]);
    const results = [
      resulted('c1', 'read', 'a picture', { content: [{ type: 'text', text: 'a picture' }, image] }),
      resulted('c2', 'read', ''),
    ];
    const body = await bodyOf({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'look' }, image], timestamp: 1 }, calls, ...results],
    });
    const url = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
    expect(body.messages.slice(1)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'look' }, url] },
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', tool_call_id: 'c1', content: 'a picture' },
      { role: 'tool', tool_call_id: 'c2', content: '(no output)' },
      { role: 'user', content: [{ type: 'text', text: 'Images in the result of read:' }, url] },
    ]);
    const blind = await bodyOf({
      model: aModel({ input: ['text'] }),
      messages: [{ role: 'user', content: [image], timestamp: 1 }],
    });
    expect(blind.messages[1]).toEqual({ role: 'user', content: '(an image that m cannot see)' });
  });

  test('a thought signature of a call goes back with it', async () => {
    const call = {
      index: 0,
      id: 'c1',
      function: { name: 'read', arguments: '{}' },
      extra_content: { google: { thought_signature: 'sig' } },
    };
    await using server = await modelServer({
      pieces: chatEvents(chatDelta({ tool_calls: [call] }), chatDelta({}, 'tool_calls')),
    });
    const message = await messageOfReply(ask(server));
    expect(message.content).toEqual([
      { type: 'toolCall', id: 'c1', name: 'read', arguments: {}, thoughtSignature: 'sig' },
    ]);
    const body = await bodyOf({ messages: [said('x'), message, resulted('c1', 'read', 'y')] });
    expect(body.messages[2].tool_calls[0].extra_content).toEqual({ google: { thought_signature: 'sig' } });
  });

  test('each request is the one before and more', async () => {
    const first = [said('go')];
    const second = [
      ...first,
      answered([{ type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a' } }]),
      resulted('c1', 'read', 'x'),
    ];
    const [one, two] = await Promise.all([
      bodyOf({ messages: first, tools: [readFace] }),
      bodyOf({ messages: second, tools: [readFace] }),
    ]);
    expect(JSON.stringify(two.messages).startsWith(JSON.stringify(one.messages).slice(0, -1))).toBe(true);
    expect(JSON.stringify(two.tools)).toBe(JSON.stringify(one.tools));
  });
});
