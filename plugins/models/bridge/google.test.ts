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
import { googleReply } from './google.ts';

const wire = testWire('google');
const plays = (told: Told): Answer => ({ pieces: wire.events(told) });
type Server = Awaited<ReturnType<typeof modelServer>>;
const ask = (server: Server, request: Partial<ModelRequest> = {}) =>
  googleReply(
    { provider: 'test', baseUrl: server.url, apiKey: 'key-123456' },
    aRequest(request),
    new AbortController().signal,
  );

async function bodyOf(request: Partial<ModelRequest>) {
  await using server = await modelServer(plays({ text: ['ok'] }));
  await collected(ask(server, request));
  return server.heard[0]?.body;
}

test('what is sent: the prompt, the tools with their schemas as they are, the limit', async () => {
  expect(await bodyOf({ tools: [readFace], maxOutput: 99 })).toEqual({
    generationConfig: { maxOutputTokens: 99 },
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    tools: [
      {
        functionDeclarations: [
          {
            name: 'read',
            description: 'Reads a file.',
            parametersJsonSchema: expect.objectContaining({ type: 'object' }),
          },
        ],
      },
    ],
  });
});

test('levels of thinking are levels or budgets, and thoughts are asked for', async () => {
  const thinking = ['off', 'low', 'high'] as const;
  const configOf = async (changes: Parameters<typeof aModel>[0], level: ModelRequest['thinking']) =>
    (await bodyOf({ model: aModel({ thinking, ...changes }), thinking: level })).generationConfig.thinkingConfig;
  expect(await configOf({ model: 'gemini-4-argon' }, 'high')).toEqual({ includeThoughts: true, thinkingLevel: 'high' });
  expect(await configOf({ model: 'gemini-2.5-flash', thinkingBudgets: { high: 9_000 } }, 'high')).toEqual({
    includeThoughts: true,
    thinkingBudget: 9_000,
  });
  expect(await configOf({ model: 'gemini-2.5-flash' }, 'off')).toEqual({ thinkingBudget: 0 });
  expect(await configOf({ thinking: ['off'] }, 'high')).toBeUndefined();
});

test('signatures go back where they came from: with the call, or with the text', async () => {
  const model = aModel({ model: 'gemini-4-argon' });
  const calls = [
    { id: 'a', name: 'read', pieces: ['{}'] },
    { id: 'b', name: 'read', pieces: ['{}'] },
  ];
  await using server = await modelServer(
    plays({ thinking: ['hm'], signature: 'sig-call', calls }),
    plays({ signature: 'sig-text', text: ['yes'] }),
  );
  const called = await messageOfReply(ask(server, { model }));
  expect(called.content).toMatchObject([
    { type: 'thinking', thinking: 'hm' },
    { type: 'toolCall', id: 'a', thoughtSignature: 'sig-call' },
    { type: 'toolCall', id: 'b' },
  ]);
  const texted = await messageOfReply(ask(server, { model }));
  expect(texted.content).toEqual([{ type: 'text', text: 'yes', textSignature: 'sig-text' }]);
  const results = [resulted('a', 'read', 'x'), resulted('b', 'read', 'y')];
  const body = await bodyOf({ model, messages: [said('go'), called, ...results, texted, said('on')] });
  expect(body.contents[1].parts).toMatchObject([
    { text: 'hm', thought: true },
    { functionCall: { id: 'a' }, thoughtSignature: 'sig-call' },
    { functionCall: { id: 'b' } },
  ]);
  expect(body.contents[1].parts[2]).not.toHaveProperty('thoughtSignature');
  expect(body.contents[3].parts).toEqual([{ text: 'yes', thoughtSignature: 'sig-text' }]);
});

test('a signature behind the last piece belongs to the text before it', async () => {
  const events = wire
    .events({ text: ['yes'] })
    .map((event) => event.replace('{"text":""}', '{"text":"","thoughtSignature":"late"}'));
  await using server = await modelServer({ pieces: events });
  expect((await messageOfReply(ask(server))).content).toEqual([{ type: 'text', text: 'yes', textSignature: 'late' }]);
});

test('calls of another model go without a signature, in the words the vendor has for it', async () => {
  const calls = answered([{ type: 'toolCall', id: 'x|1', name: 'read', arguments: {} }]);
  const model = aModel({ model: 'gemini-4-argon' });
  const body = await bodyOf({ model, messages: [said('go'), calls, resulted('x|1', 'read', 'y')] });
  expect(body.contents[1].parts[0]).toMatchObject({
    functionCall: { id: 'x_1' },
    thoughtSignature: 'skip_thought_signature_validator',
  });
});

test('images of results stand in them, before the third generation behind them', async () => {
  const image = { type: 'image' as const, data: 'aGk=', mimeType: 'image/png' };
  const calls = answered([{ type: 'toolCall', id: 'a', name: 'read', arguments: {} }]);
  const messages = [said('go'), calls, resulted('a', 'read', '', { content: [image] })];
  const inline = { inlineData: { mimeType: 'image/png', data: 'aGk=' } };
  const now = await bodyOf({ model: aModel({ model: 'gemini-4-argon' }), messages });
  expect(now.contents[2].parts).toMatchObject([{ functionResponse: { id: 'a', parts: [inline] } }]);
  const before = await bodyOf({ model: aModel({ model: 'gemini-2.5-pro' }), messages });
  expect(before.contents.slice(2)).toMatchObject([
    { parts: [{ functionResponse: { response: { content: '(images, in the next message)' } } }] },
    { parts: [{ text: 'Images in the result of read:' }, inline] },
  ]);
});

test('a prompt that is blocked is a refusal', async () => {
  const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 5 } };
  await using server = await modelServer({ pieces: [`data: ${JSON.stringify(blocked)}\n\n`] });
  expect(await messageOfReply(ask(server))).toMatchObject({ stopReason: 'refusal', content: [] });
});

test('a call that the model has garbled can be asked for again', async () => {
  const events = wire.events({}).map((event) => event.replace('STOP', 'MALFORMED_FUNCTION_CALL'));
  await using server = await modelServer({ pieces: events });
  expect((await failureOfReply(ask(server))).error).toMatchObject({
    code: 'model_disconnected',
    message: expect.stringContaining('MALFORMED_FUNCTION_CALL'),
  });
});

test('a reply that goes on in a second stream is one reply', async () => {
  const first = wire
    .events({ text: ['Hel'] })
    .map((event) => event.replace('"finishReason":"STOP"', '"finishReason":"CONTINUATION","continuationToken":"more"'));
  await using server = await modelServer({ pieces: first }, plays({ text: ['lo'] }));
  expect(await messageOfReply(ask(server))).toMatchObject({
    content: [{ type: 'text', text: 'Hello' }],
    stopReason: 'stop',
  });
  expect(server.heard[1]?.body).toMatchObject({ continuationToken: 'more' });
});
