import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counts, seed } from '../../cli/test/soak.ts';
import { headOf, headOfParsed } from './head.ts';

const of = (line: string) => headOf(Buffer.from(line));
const place = '"id":"0a","parentId":"0b","timestamp":"t"';

test('a head is read whatever the order of its keys, and with blanks or without', () => {
  const expected = { type: 'label', id: '0a', parentId: '0b', timestamp: 't', customType: undefined, role: undefined };
  expect(of(`{"type":"label",${place},"targetId":"x"}`)).toEqual(expected);
  expect(of(`{"targetId":"x",${place},"type":"label"}`)).toEqual(expected);
  expect(of(` { "timestamp" : "t" ,\t"parentId": "0b", "id":"0a", "type" :"label" }`)).toEqual(expected);
  expect(of('{"type":"label","id":"0a","parentId":null,"timestamp":"t"}')).toEqual({ ...expected, parentId: null });
});

test('keys of the same names that lie deeper, or in texts, are not taken for those of the line', () => {
  const line = `{"data":{"id":"no","a":["}\\"{",{"parentId":"no"}]},"text":"\\"id\\":\\"no\\"","n":-1.5e3,"b":false,"type":"x",${place}}`;
  expect(of(line)).toMatchObject({ type: 'x', id: '0a', parentId: '0b' });
});

test('the role of a message and the type of a custom entry belong to the head, and may come late', () => {
  expect(of(`{"type":"message",${place},"message":{"role":"user","content":"…`)).toMatchObject({ role: 'user' });
  expect(of(`{"type":"message",${place},"message":{"content":[{"role":"no"}],"role":"user"}}`)).toMatchObject({
    role: 'user',
  });
  expect(of(`{"message":{"role":"user","content":"a}"},"type":"message",${place}}`)).toMatchObject({ role: 'user' });
  expect(of(`{"type":"custom","customType":"a","data":{"type":"b"},${place}}`)).toMatchObject({ customType: 'a' });
  expect(of(`{"type":"custom",${place},"data":{"customType":"no"},"customType":"a"}`)).toMatchObject({
    customType: 'a',
  });
});

test('what is not certain is left to a parse', () => {
  for (const line of [
    '',
    '[]',
    '{}',
    '{"type":"label"}',
    `{"type":"message",${place},"message":"text"}`,
    `{"type":"message",${place},"message":{"content":"no role"}}`,
    `{"type":"custom",${place}}`,
    '{"type":"label","id":"a\\u0062","parentId":null,"timestamp":"t"}',
    '{"type":"label","id":"ä","parentId":null,"timestamp":"t"}',
    '{"type":"label","id":7,"parentId":null,"timestamp":"t"}',
    '{"type":"label","id":"","parentId":null,"timestamp":"t"}',
    '{"ty\\u0070e":"label"}',
    `{"data":"${'x'.repeat(50)}`,
  ])
    expect(of(line), line).toBeUndefined();
});

test('a head that is read at a glance is the one that a parse finds', () => {
  const word = fc.oneof(
    fc.constantFrom('type', 'id', 'parentId', 'timestamp', 'customType', 'message', 'role'),
    fc.string(),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'binary' }),
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(word, tie('any'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).any;
  const entry = fc
    .tuple(
      fc.dictionary(word, value, { maxKeys: 5, noNullPrototype: true }),
      fc.record({
        type: fc.constantFrom('message', 'custom', 'label', 'custom_message'),
        id: fc.stringMatching(/^[0-9a-f]{8}$/),
        parentId: fc.option(fc.stringMatching(/^[0-9a-f]{8}$/)),
        timestamp: fc.constant('2026-11-30T14:09:43.065Z'),
        customType: fc.string(),
        message: fc.record({ content: value, role: fc.constantFrom('user', 'assistant') }),
      }),
      fc.constantFrom(undefined, 1),
    )
    .map(([more, own, indent]) => JSON.stringify({ ...more, ...own }, undefined, indent).replaceAll('\n', ' '));
  fc.assert(
    fc.property(entry, (line) => {
      const glance = of(line);
      const parsed = headOfParsed(JSON.parse(line));
      if (glance === undefined) return;
      // A role or type that comes behind what was looked for is of no use to the entry.
      expect({ ...glance, role: undefined, customType: undefined }).toEqual({
        ...parsed,
        role: undefined,
        customType: undefined,
      });
      if (glance.type === 'message') expect(glance.role).toBe(parsed?.role);
      if (glance.type.startsWith('custom')) expect(glance.customType).toBe(parsed?.customType);
    }),
    { numRuns: counts({ test: 300, soak: 20_000 }), seed: seed() },
  );
});
