import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AssistantMessage, Message, ModelRequest } from '../contract.ts';
import { aModel, answered, messageOfReply, readFace, resulted, said } from '../test/requests.ts';
import { modelServer } from '../test/server.ts';
import { complaints } from '../test/strict.ts';
import { askOver, type TestWire, testWires } from '../test/wires.ts';
import { responsesApi } from './responses.ts';

const apis = ['anthropic-messages', 'openai-completions', 'openai-responses', 'google-generative-ai', 'script'];

// Pools are small on purpose: ids meet again, texts are blank, pairs are cut in half.
const text = fc.constantFrom('go', '', ' \n', 'half \ud83d', '🙂', 'a "quoted" \\ text', '\u0000');
const id = fc.constantFrom('c1', 'c2', '', 'call|fc_9', 'x'.repeat(90), 'toolu_01', 'ж');
const name = fc.constantFrom('read', 'functions.read', '', '9lives', 'a b', 'n'.repeat(80));
const image = fc.record({
  type: fc.constant('image' as const),
  data: fc.constantFrom('aGk=', ''),
  mimeType: fc.constantFrom('image/png', 'IMAGE/PNG', 'image/gif', 'image/tiff', 'application/pdf'),
});
const plain = fc.record({ type: fc.constant('text' as const), text });
const seen = fc.array(fc.oneof(plain, image), { maxLength: 3 });
const signature = fc.constantFrom(
  'sig',
  '',
  JSON.stringify({ id: 'rs_1', encrypted_content: 'secret' }),
  JSON.stringify({ id: 'rs_1' }),
  '{',
);
const block = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text, textSignature: signature }, { requiredKeys: ['type', 'text'] }),
  fc.record(
    { type: fc.constant('thinking' as const), thinking: text, thinkingSignature: signature, redacted: fc.boolean() },
    { requiredKeys: ['type', 'thinking'] },
  ),
  fc.record(
    {
      type: fc.constant('toolCall' as const),
      id,
      name,
      arguments: fc.constantFrom({}, { path: 'a' }, { deep: [{ 'half \udc00': 'half \ud83d' }] }),
      thoughtSignature: signature,
    },
    { requiredKeys: ['type', 'id', 'name', 'arguments'] },
  ),
);
const reply: fc.Arbitrary<AssistantMessage> = fc
  .record({
    content: fc.array(block, { maxLength: 4 }),
    api: fc.constantFrom(...apis),
    provider: fc.constantFrom('test', 'other'),
    model: fc.constantFrom('m', 'gemini-4-argon', 'n'),
    stopReason: fc.constantFrom('stop' as const, 'toolUse' as const, 'aborted' as const, 'error' as const),
  })
  .map(({ content, ...rest }) => answered(content, rest));
const message: fc.Arbitrary<Message> = fc.oneof(
  seen.map((content) => ({ role: 'user' as const, content, timestamp: 1 })),
  seen.map((content) => ({ role: 'custom' as const, customType: 'x', content, display: false, timestamp: 1 })),
  reply,
  reply,
  fc
    .record({ id, name, content: seen, isError: fc.boolean() })
    .map((one) => resulted(one.id, one.name, '', { content: one.content, isError: one.isError })),
);
const request: fc.Arbitrary<Partial<ModelRequest>> = fc.record({
  messages: fc.array(message, { maxLength: 7 }),
  systemPrompt: fc.constantFrom('Be brief.', ' ', 'half \ud83d'),
  tools: fc.constantFrom([], [readFace]),
  thinking: fc.constantFrom('off' as const, 'high' as const),
  model: fc
    .record({
      model: fc.constantFrom('m', 'gemini-4-argon', 'gemini-2.5-pro'),
      input: fc.constantFrom(['text' as const], ['text' as const, 'image' as const]),
      thinking: fc.constantFrom(['off' as const], ['off' as const, 'high' as const]),
      thinkingBudgets: fc.constantFrom({}, { high: 16_000 }),
    })
    .map((changes) => aModel({ ...changes, maxOutput: 20_000 })),
});

describe.each(testWires.map((wire) => [wire.wire, wire] as const))('%s', (_, wire: TestWire) => {
  test('whatever the history is, the request is one that the vendor takes', async () => {
    await using server = await modelServer({ pieces: wire.events({ text: ['ok'] }) });
    await fc.assert(
      fc.asyncProperty(request, fc.constantFrom('drop' as const, 'text' as const), async (asked, foreignReasoning) => {
        await messageOfReply(askOver(wire, server.url, asked, { foreignReasoning }));
        const heard = server.heard.pop();
        expect(complaints(wire.wire, heard?.body, heard?.url)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('a conversation that was begun elsewhere goes on here', async () => {
    await using server = await modelServer({ pieces: wire.events({ text: ['ok'] }) });
    for (const other of testWires) {
      await using there = await modelServer({
        pieces: other.events({
          thinking: ['hm'],
          signature: 'sig',
          text: ['I read.'],
          calls: [
            { id: 'call|1', name: 'read', pieces: ['{"path":"a"}'] },
            { id: 'call|2', name: 'read', pieces: ['{"path":"b"}'] },
          ],
        }),
      });
      const model = aModel({ id: 'there/n', provider: 'there', model: 'n' });
      const begun = await messageOfReply(askOver(other, there.url, { model }));
      const calls = begun.content.filter((part) => part.type === 'toolCall');
      const messages = [said('go'), begun, ...calls.map((call) => resulted(call.id, 'read', `of ${call.id}`))];
      await messageOfReply(askOver(wire, server.url, { messages, tools: [readFace] }));
      const heard = server.heard.pop();
      expect(complaints(wire.wire, heard?.body, heard?.url)).toEqual([]);
      expect(heard?.text).toContain('I read.');
      expect(heard?.text).not.toMatch(/"hm"|sig"/);
      expect(heard?.text.indexOf('of call|1')).toBeLessThan(heard?.text.indexOf('of call|2') ?? -1);
    }
  });
});

test('the strict server refuses what it should', () => {
  const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } };
  const wrong = {
    messages: [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'user', content: ' ' },
    ],
  };
  expect(complaints('openai-chat', wrong)).toEqual([
    "an assistant message with 'tool_calls' must be followed by tool messages for each id",
    'content of a user message',
  ]);
  const lone = {
    store: false,
    input: [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { role: 'user', content: 'x' },
    ],
  };
  expect(complaints('openai-responses', lone)).toHaveLength(2);
  expect(complaints('anthropic', { model: 'm', max_tokens: 0, messages: [] })).toHaveLength(2);
  expect(complaints('google', { contents: [{ role: 'model', parts: [{ text: 'x' }] }] })).toHaveLength(3);
  expect(responsesApi).toBe(apis[2]);
});
