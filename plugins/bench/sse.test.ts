import { expect, test } from 'vitest';
import { eventsOf, wireOf } from './sse.ts';

const dataOf = (events: readonly string[]): readonly unknown[] =>
  events.flatMap((event) => {
    const [, text = ''] = /^data: (.*)$/m.exec(event) ?? [];
    return text === '[DONE]' ? [] : [JSON.parse(text)];
  });

test('the path tells the wire', () => {
  expect(wireOf('/v1/chat/completions')).toBe('openai-chat');
  expect(wireOf('/v1/messages')).toBe('anthropic');
  expect(wireOf('/v1/responses')).toBe('openai-responses');
  expect(wireOf('/v1beta/models/m:streamGenerateContent?alt=sse')).toBe('google');
  expect(wireOf('/v1/models')).toBeUndefined();
});

test('on Chat Completions pieces are deltas, a call comes after them, and the stream says that it is done', () => {
  const events = eventsOf('openai-chat', { pieces: ['a', 'b'], call: { name: 'read', args: { path: 'x' } } }, 7);
  expect(events.at(-1)).toBe('data: [DONE]\n\n');
  const choices = dataOf(events).flatMap((chunk) => (chunk as { choices: readonly unknown[] }).choices);
  expect(choices).toMatchObject([
    { delta: { role: 'assistant' } },
    { delta: { content: 'a' } },
    { delta: { content: 'b' } },
    { delta: { tool_calls: [{ id: 'call_7', function: { name: 'read', arguments: '{"path":"x"}' } }] } },
    { delta: {}, finish_reason: 'tool_calls' },
  ]);
});

test('on Anthropic Messages each block has its index, and a call without words is the first', () => {
  const types = (pieces: readonly string[]): readonly unknown[] =>
    dataOf(eventsOf('anthropic', { pieces, call: { name: 'read', args: {} } }, 1)).map((event) => {
      const { type, index } = event as { type: string; index?: number };
      return index === undefined ? type : `${type} ${index}`;
    });
  const block = (index: number): readonly string[] =>
    ['start', 'delta', 'stop'].map((part) => `content_block_${part} ${index}`);
  expect(types(['a'])).toEqual(['message_start', ...block(0), ...block(1), 'message_delta', 'message_stop']);
  expect(types([])).toEqual(['message_start', ...block(0), 'message_delta', 'message_stop']);
});
