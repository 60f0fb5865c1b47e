import { expect, test } from 'vitest';
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
import { type Answer, modelServer } from '../test/server.ts';
import { type Told, testWire } from '../test/wires.ts';
import type { Endpoint } from './endpoint.ts';
import { responsesReply } from './responses.ts';

const wire = testWire('openai-responses');
const plays = (told: Told): Answer => ({ pieces: wire.events(told) });
type Server = Awaited<ReturnType<typeof modelServer>>;
const ask = (server: Server, request: Partial<ModelRequest> = {}, changes: Partial<Endpoint> = {}) =>
  responsesReply(
    { provider: 'test', baseUrl: `${server.url}/v1`, apiKey: 'key-123456', ...changes },
    aRequest(request),
    new AbortController().signal,
  );

async function bodyOf(request: Partial<ModelRequest>, changes: Partial<Endpoint> = {}) {
  await using server = await modelServer(plays({ text: ['ok'] }));
  await collected(ask(server, request, changes));
  return server.heard[0]?.body;
}

test('nothing is kept by the server, and a copy of it hears no words of the vendor’s own', async () => {
  const body = await bodyOf({ tools: [readFace], maxOutput: 99 });
  expect(body).toEqual({
    model: 'm',
    input: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    ],
    max_output_tokens: 99,
    store: false,
    tools: [
      { type: 'function', name: 'read', description: 'Reads a file.', parameters: readFace.inputSchema, strict: false },
    ],
    stream: true,
  });
});

test('OpenAI itself gets the key of its cache, and how long it lives', async () => {
  expect(await bodyOf({}, { official: true })).toMatchObject({ prompt_cache_key: 's1' });
  expect(await bodyOf({}, { official: true, cacheRetention: 'none' })).not.toHaveProperty('prompt_cache_key');
  const model = aModel({ model: 'gpt-5.1' });
  expect(await bodyOf({ model }, { official: true, cacheRetention: 'long' })).toMatchObject({
    prompt_cache_retention: '24h',
  });
});

test('levels of thinking are efforts; what was thought is asked for in its secret form', async () => {
  const model = aModel({ thinking: ['off', 'low', 'high'] });
  expect(await bodyOf({ model, thinking: 'high' })).toMatchObject({
    reasoning: { effort: 'high', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  });
  expect(await bodyOf({ model, thinking: 'medium' })).toMatchObject({ reasoning: { effort: 'low' } });
  expect(await bodyOf({ model, thinking: 'off' })).toMatchObject({ reasoning: { effort: 'none' } });
  expect(await bodyOf({ thinking: 'high' })).not.toHaveProperty('reasoning');
});

test('reasoning of several parts is one item again, with what the model itself reads', async () => {
  const events = wire.events({ thinking: ['first'], signature: 'secret', text: ['yes'] });
  const at = { output_index: 0, item_id: 'item_0', summary_index: 1 };
  const second = [
    { type: 'response.reasoning_summary_part.added', ...at },
    { type: 'response.reasoning_summary_text.delta', ...at, delta: 'second' },
    { type: 'response.reasoning_summary_part.done', ...at },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const end = events.findIndex((event) => event.includes('summary_part.done')) + 1;
  await using server = await modelServer({ pieces: [...events.slice(0, end), ...second, ...events.slice(end)] });
  const message = await messageOfReply(ask(server));
  expect(message.content).toMatchObject([
    { type: 'thinking', thinking: 'first', thinkingSignature: '{"id":"item_0"}' },
    { type: 'thinking', thinking: 'second', thinkingSignature: '{"id":"item_0","encrypted_content":"secret"}' },
    { type: 'text', text: 'yes' },
  ]);
  const body = await bodyOf({ messages: [said('go'), message, said('on')] });
  expect(body.input[2]).toEqual({
    type: 'reasoning',
    id: 'item_0',
    encrypted_content: 'secret',
    summary: [
      { type: 'summary_text', text: 'first' },
      { type: 'summary_text', text: 'second' },
    ],
  });
});

test('reasoning that is not shown at all is kept', async () => {
  await using server = await modelServer(
    plays({ signature: 'secret', calls: [{ id: 'c', name: 'read', pieces: ['{}'] }] }),
  );
  const message = await messageOfReply(ask(server));
  expect(message.content[0]).toEqual({
    type: 'thinking',
    thinking: '',
    thinkingSignature: '{"id":"item_0","encrypted_content":"secret"}',
  });
  const body = await bodyOf({ messages: [said('go'), message, resulted('c', 'read', 'x')] });
  expect(body.input[2]).toMatchObject({ type: 'reasoning', encrypted_content: 'secret', summary: [] });
});

test('whether a text was the answer or a remark on the way goes back with it', async () => {
  const events = wire
    .events({ text: ['Let me look.'] })
    .map((event) => event.replace('"role":', '"phase":"commentary","role":'));
  await using server = await modelServer({ pieces: events });
  const message = await messageOfReply(ask(server));
  expect(message.content).toEqual([{ type: 'text', text: 'Let me look.', textSignature: 'commentary' }]);
  const body = await bodyOf({ messages: [said('go'), message, said('on')] });
  expect(body.input[2]).toEqual({ role: 'assistant', content: 'Let me look.', phase: 'commentary' });
});

test('the text of a refusal is text, and the reply a refusal', async () => {
  const events = wire
    .events({ text: ['I cannot.'] })
    .map((event) => event.replaceAll('response.output_text.delta', 'response.refusal.delta'));
  await using server = await modelServer({ pieces: events });
  expect(await messageOfReply(ask(server))).toMatchObject({ stopReason: 'refusal', content: [{ text: 'I cannot.' }] });
});

test('a response that failed is an error of its kind', async () => {
  const [created = ''] = wire.events({});
  const failed = (code: string, message: string): Answer => ({
    pieces: [
      created,
      `data: ${JSON.stringify({ type: 'response.failed', sequence_number: 2, response: { id: 'r', created_at: 1, model: 'm', error: { code, message } } })}\n\n`,
    ],
  });
  await using server = await modelServer(
    failed('rate_limit_exceeded', 'Rate limit reached for m. Please try again in 2s.'),
    failed('server_error', 'The server had an error'),
    failed('context_length_exceeded', 'Your input exceeds the context window of this model.'),
  );
  const errors = [];
  for (let times = 0; times < 3; times += 1) errors.push((await failureOfReply(ask(server))).error);
  expect(errors).toMatchObject([
    { code: 'model_rate_limited', retryAfterMs: 2_000 },
    { code: 'model_overloaded' },
    { code: 'model_context_overflow' },
  ]);
});

test('a server that keeps replies is sent what is new; one that has lost them is sent everything', async () => {
  const call = { text: ['I look.'], calls: [{ id: 'c', name: 'read', pieces: ['{}'] }] };
  const lost: Answer = {
    status: 400,
    headers: { 'content-type': 'application/json' },
    pieces: [
      '{"error":{"message":"Previous response with id \'resp_1\' not found.","code":"previous_response_not_found"}}',
    ],
  };
  await using server = await modelServer(plays(call), plays(call), plays(call), lost, plays({ text: ['done'] }));
  const state = new Map<string, unknown>();
  const messages: ModelRequest['messages'][number][] = [said('go')];
  const turn = async (more: Partial<ModelRequest> = {}): Promise<void> => {
    const message = await messageOfReply(ask(server, { messages: [...messages], state, ...more }, { store: true }));
    messages.push(message, resulted('c', 'read', `result ${messages.length}`));
  };
  await turn();
  expect(server.heard[0]?.body).toMatchObject({ store: true });
  expect(server.heard[0]?.body).not.toHaveProperty('previous_response_id');
  await turn();
  expect(server.heard[1]?.body).toMatchObject({
    previous_response_id: 'resp_1',
    input: [{ type: 'function_call_output', call_id: 'c', output: 'result 1' }],
  });
  // Another head is another conversation.
  await turn({ systemPrompt: 'Be long.' });
  expect(server.heard[2]?.body).not.toHaveProperty('previous_response_id');
  await turn({ systemPrompt: 'Be long.' });
  expect(server.heard[3]?.body).toMatchObject({ previous_response_id: 'resp_1' });
  expect(server.heard[4]?.body).not.toHaveProperty('previous_response_id');
  expect(server.heard[4]?.body.input).toHaveLength(11);
  // Nothing depends on the state: without it everything is sent.
  await messageOfReply(ask(server, { messages: [...messages.slice(0, 3)], state: new Map() }, { store: true }));
  expect(server.heard[5]?.body.input).toHaveLength(5);
});

test('a branch that went on otherwise is sent whole', async () => {
  await using server = await modelServer(plays({ text: ['one'] }));
  const state = new Map<string, unknown>();
  const first = said('go');
  await messageOfReply(ask(server, { messages: [first], state }, { store: true }));
  const other = answered([{ type: 'text', text: 'another' }]);
  await messageOfReply(ask(server, { messages: [first, other, said('on')], state }, { store: true }));
  expect(server.heard[1]?.body).not.toHaveProperty('previous_response_id');
});

test('events that lack a field, as copies of the server send them, cost nothing', async () => {
  const told: Told = { text: ['ok'], calls: [{ id: 'c', name: 'read', pieces: ['{"path":', '"a"}'] }] };
  const bare = (stop: Told['stop']): Answer => ({
    pieces: wire
      .events({ ...told, ...(stop === undefined ? {} : { stop }) })
      .map((event) => event.replace(/,"status":"(in_progress|completed)"/g, '')),
  });
  await using server = await modelServer(bare('stop'), bare('length'));
  expect(await messageOfReply(ask(server))).toMatchObject({
    stopReason: 'toolUse',
    content: [
      { type: 'text', text: 'ok' },
      { type: 'toolCall', id: 'c', arguments: { path: 'a' } },
    ],
    usage: { input: 12, output: 5 },
  });
  expect(await messageOfReply(ask(server))).toMatchObject({ stopReason: 'length' });
});
