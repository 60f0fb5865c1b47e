import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anthropicBlock, anthropicEvents, chatDelta, chatEvents } from '../test/server.ts';
import { testWires } from '../test/wires.ts';
import { anthropicDeltas, chatDeltas, googleDeltas, responsesDeltas } from './deltas.ts';
import { type DeltaFinder, DeltaMerger } from './merge.ts';

/** What comes out of a merger, as the package would read it: the JSON of each event. */
function through(finder: DeltaFinder, pieces: readonly string[]) {
  const merger = new DeltaMerger(finder, () => new Error('endless'));
  const text = pieces.map((piece) => merger.push(piece)).join('') + merger.end();
  const events = text.split('\n\n').flatMap((block) => {
    const data = block.split('\n').find((line) => line.startsWith('data: '));
    return data === undefined || data === 'data: [DONE]' ? [] : [JSON.parse(data.slice(6))];
  });
  return { merger, text, events };
}

const contents = (events: readonly { choices: readonly { delta: { content?: string } }[] }[]): string[] =>
  events.flatMap(({ choices }) => choices[0]?.delta.content ?? []);

test('deltas that came together leave as one, and are cut again at the old places', () => {
  const words = ['one ', 'two "quoted" ', 'three\n', 'vier ü ', '🙂 five'];
  const { merger, events } = through(chatDeltas, [
    chatEvents(...words.map((content) => chatDelta({ content }))).join(''),
  ]);
  expect(contents(events)).toEqual([words.join('')]);
  expect(merger.split(words.join(''))).toEqual(words);
  expect(merger.split('anything else')).toBeUndefined();
});

test('a delta that came alone passes byte for byte', () => {
  const sent = chatEvents(chatDelta({ content: 'a' }), chatDelta({ content: 'b' }));
  const { text, merger } = through(chatDeltas, sent);
  expect(text).toBe(sent.join(''));
  expect(merger.split('a')).toBeUndefined();
});

test('events of which the package makes nothing are left out, wherever they stand', () => {
  const event = (type: string, more: object = {}): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const delta = (text: string): string =>
    event('response.output_text.delta', { output_index: 0, content_index: 0, delta: text, logprobs: [] });
  const quoting = delta('{"type":"response.content_part.added"}');
  const pieces = [
    event('response.content_part.added', { part: { type: 'output_text', text: '' } }),
    delta('a') + event('response.content_part.done') + delta('b') + event('response.output_text.done', { text: 'ab' }),
    quoting,
  ];
  const { events, merger } = through(responsesDeltas, pieces);
  expect(events.map(({ delta: text }) => text)).toEqual(['ab', '{"type":"response.content_part.added"}']);
  expect(merger.split('ab')).toEqual(['a', 'b']);
});

test('only what grows the same text is joined', () => {
  const chunks = [
    chatDelta({ role: 'assistant', content: '' }),
    chatDelta({ reasoning_content: 'hm' }),
    chatDelta({ reasoning_content: 'm' }),
    chatDelta({ content: 'a' }),
    chatDelta({ content: 'b' }),
    chatDelta({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'read', arguments: '' } }] }),
    chatDelta({ tool_calls: [{ index: 0, function: { arguments: '{"p' } }] }),
    chatDelta({ tool_calls: [{ index: 0, function: { arguments: '":1}' } }] }),
    chatDelta({ tool_calls: [{ index: 1, function: { arguments: '{' } }] }),
    chatDelta({ content: 'c' }, 'stop'),
  ];
  const { events } = through(chatDeltas, [chatEvents(...chunks).join('')]);
  const deltas = events.map(({ choices }) => choices[0].delta);
  expect(deltas).toEqual([
    { role: 'assistant', content: '' },
    { reasoning_content: 'hmm' },
    { content: 'ab' },
    { tool_calls: [{ index: 0, id: 'c1', function: { name: 'read', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"p":1}' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{' } }] },
    { content: 'c' },
  ]);
});

test('a text that also stands elsewhere in its event is not mistaken for it', () => {
  const words = ['assistant', 'm', 'chatcmpl-1', 'content', 'm'];
  const { events, merger } = through(chatDeltas, [
    chatEvents(...words.map((content) => chatDelta({ role: 'assistant', content }))).join(''),
  ]);
  expect(contents(events)).toEqual([words.join('')]);
  expect(events[0].choices[0].delta.role).toBe('assistant');
  expect(events[0].model).toBe('m');
  expect(merger.split(words.join(''))).toEqual(words);
});

test('blocks of Anthropic keep their index and their kind', () => {
  const blocks = [
    ...anthropicBlock(
      0,
      { type: 'thinking', thinking: '' },
      { type: 'thinking_delta', thinking: 'a' },
      { type: 'thinking_delta', thinking: 'b' },
      { type: 'signature_delta', signature: 's' },
    ),
    ...anthropicBlock(
      1,
      { type: 'tool_use', id: 't', name: 'read', input: {} },
      { type: 'input_json_delta', partial_json: '{"a"' },
      { type: 'input_json_delta', partial_json: ':1}' },
    ),
  ];
  const { events, text } = through(anthropicDeltas, [anthropicEvents(blocks).join('')]);
  const deltas = events.filter(({ type }) => type === 'content_block_delta').map(({ index, delta }) => [index, delta]);
  expect(deltas).toEqual([
    [0, { type: 'thinking_delta', thinking: 'ab' }],
    [0, { type: 'signature_delta', signature: 's' }],
    [1, { type: 'input_json_delta', partial_json: '{"a":1}' }],
  ]);
  expect(text).toContain('event: content_block_delta\ndata: ');
});

test('lines that end with CRLF, comments and broken events pass as they are', () => {
  const crlf = chatEvents(chatDelta({ content: 'a' }), chatDelta({ content: 'b' }))
    .join('')
    .replaceAll('\n', '\r\n');
  expect(through(chatDeltas, [crlf.slice(0, 40), crlf.slice(40)]).text).toBe(crlf);
  const odd = ': ping\n\ndata: {broken\n\nid: 7\ndata: {"choices":[]}\n\n';
  expect(new DeltaMerger(chatDeltas, () => new Error('endless')).push(odd)).toBe(odd);
});

test('however a stream is cut, the text and its deltas stay the same', () => {
  const word = fc.oneof(
    fc.string({ minLength: 1, unit: 'binary' }),
    fc.constantFrom('"', '\\', '\n', 'a"b', '{"choices":[]}', 'm', 'data: x'),
  );
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 40 }),
      fc.array(fc.nat(4000), { maxLength: 8 }),
      (words, cuts) => {
        const whole = chatEvents(...words.map((content) => chatDelta({ content }))).join('');
        const places = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((end, at) => whole.slice(places[at], end));
        const { events, merger } = through(chatDeltas, pieces);
        const deltas = contents(events).flatMap((delta) => merger.split(delta) ?? [delta]);
        expect(deltas.join('')).toBe(words.join(''));
        expect(deltas).toEqual(words);
      },
    ),
    { numRuns: 300 },
  );
});

test('a field more is no longer text', () => {
  const chunks = [chatDelta({ content: 'a' }), chatDelta({ content: 'b' }), chatDelta({ content: 'c', refusal: 'no' })];
  const { events } = through(chatDeltas, [chatEvents(...chunks).join('')]);
  expect(events.map(({ choices }) => choices[0].delta)).toEqual([{ content: 'ab' }, { content: 'c', refusal: 'no' }]);
});

const finders = {
  anthropic: anthropicDeltas,
  'openai-chat': chatDeltas,
  'openai-responses': responsesDeltas,
  google: googleDeltas,
} as const;

test.each(testWires.map((wire) => [wire.wire, wire] as const))(
  '%s: texts are joined, and the last word on the rest counts',
  (_, wire) => {
    const told = { thinking: ['hm', 'm'], text: ['one ', 'two ', 'three'], usage: { output: 40 } };
    const events = wire.events(told);
    const { text, merger } = through(finders[wire.wire], [events.join('')]);
    expect(text.split('\n\n').length).toBe(events.length - 3 + 1);
    expect(text).toContain('one two three');
    expect([merger.split('hmm'), merger.split('one two three')]).toEqual([told.thinking, told.text]);
    if (wire.wire === 'google') expect(text).toContain('"candidatesTokenCount":4}'.replace('}', ','));
    expect(merger.isOver).toBe(true);
  },
);

test.each(testWires.map((wire) => [wire.wire, wire] as const))(
  '%s: a reply that speaks of its end is not over',
  (_, wire) => {
    const words = ['data: [DONE]', 'message_stop', 'response.completed', '"finishReason":"STOP"'];
    const events = wire.events({ text: words });
    const { merger } = through(finders[wire.wire], events.slice(0, 4));
    expect(merger.isOver).toBe(false);
  },
);

test('an event without an end is let go', () => {
  const merger = new DeltaMerger(chatDeltas, () => new Error('endless'));
  const piece = 'x'.repeat(1_000_000);
  expect(() => {
    for (let times = 0; times < 50; times += 1) merger.push(piece);
  }).toThrow('endless');
});
