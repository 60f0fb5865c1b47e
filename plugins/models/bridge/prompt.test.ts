import { expect, test } from 'vitest';
import type { Message, ToolCall } from '../contract.ts';
import { answered, aRequest, resulted, said } from '../test/requests.ts';
import { commonImages, type Dialect } from './dialect.ts';
import { toPrompt } from './prompt.ts';

const dialect: Dialect = {
  api: 'x',
  thinking: () => undefined,
  imagesInResults: false,
  imageTypes: commonImages,
  longestCallId: 10,
};
const call = (id: string): ToolCall => ({ type: 'toolCall', id, name: 'read', arguments: {} });

/** The ids of calls and of results as they go over the wire, reply by reply. */
function ids(messages: readonly Message[]): readonly (readonly string[])[] {
  return toPrompt(aRequest({ messages }), dialect).flatMap(({ role, content }) =>
    role === 'assistant' || role === 'tool'
      ? [content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []))]
      : [],
  );
}

test('an id that a server used in several replies is sent once', () => {
  const reply = [
    answered([call('call_0'), call('call_1')]),
    resulted('call_0', 'read', 'a'),
    resulted('call_1', 'read', 'b'),
  ];
  const sent = ids([said('go'), ...reply, ...reply, ...reply]);
  expect(sent).toEqual([
    ['call_0', 'call_1'],
    ['call_0', 'call_1'],
    ['call_0_2', 'call_1_2'],
    ['call_0_2', 'call_1_2'],
    ['call_0_3', 'call_1_3'],
    ['call_0_3', 'call_1_3'],
  ]);
});

test('ids that are equal only as the wire takes them stay apart, and keep to its length', () => {
  const sent = ids([
    said('go'),
    answered([call('fc|0123456789'), call('fc_0123456'), call('')]),
    resulted('fc_0123456', 'read', 'b'),
  ]);
  expect(sent).toEqual([
    ['fc_0123456', 'fc_01234_2', 'call'],
    ['fc_0123456', 'fc_01234_2', 'call'],
  ]);
});

test('what was sent before is sent the same again', () => {
  const first = [said('go'), answered([call('a')]), resulted('a', 'read', '1')];
  const more = [...first, answered([call('a')]), resulted('a', 'read', '2')];
  expect(ids(more).slice(0, 2)).toEqual(ids(first));
});
