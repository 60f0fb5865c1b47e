import { expect, test } from 'vitest';
import { z } from 'zod';
import { coerce } from './coerce.ts';
import { type JsonSchema, shapeOf, tidied } from './json-schema.ts';

const jsonSchema = (type: z.ZodType): JsonSchema =>
  tidied(z.toJSONSchema(type, { io: 'input', target: 'draft-7', unrepresentable: 'any' }));

const schema = jsonSchema(
  z.object({
    path: z.string(),
    offset: z.int().optional(),
    ratio: z.number().optional(),
    all: z.boolean().optional(),
    edits: z.array(z.object({ old: z.string(), count: z.int().optional() })).optional(),
    tags: z.array(z.string()).optional(),
    note: z.string().nullable().optional(),
    env: z.record(z.string(), z.string()).optional(),
    mode: z.enum(['a', 'b']).optional(),
    either: z.union([z.int(), z.array(z.int())]).optional(),
  }),
);

test.each([
  ['a number in quotes', { offset: '12', ratio: ' 1.5e2 ' }, { offset: 12, ratio: 150 }],
  ['true and false in quotes', { all: 'True' }, { all: true }],
  ['one thing where a list is asked', { edits: { old: 'x' } }, { edits: [{ old: 'x' }] }],
  ['one string where a list of strings is asked', { tags: 'x' }, { tags: ['x'] }],
  ['a list as JSON text', { edits: '[{"old":"x","count":"3"}]' }, { edits: [{ old: 'x', count: 3 }] }],
  ['an object as JSON text where a list is asked', { edits: '{"old":"x"}' }, { edits: [{ old: 'x' }] }],
  ['a list whose items are JSON text', { edits: ['{"old":"x"}'] }, { edits: [{ old: 'x' }] }],
  ['null for what may be left out', { offset: null, edits: [{ old: 'x', count: null }] }, { edits: [{ old: 'x' }] }],
  ['a number where text is asked', { path: 12, env: { A: 1, B: true } }, { path: '12', env: { A: '1', B: 'true' } }],
  ['the alternative that fits after bending', { either: '4' }, { either: 4 }],
  ['the alternative that fits already', { either: ['4'] }, { either: [4] }],
])('%s is bent into shape', (_what, given, expected) => {
  expect(coerce(schema, given)).toEqual(expected);
});

test('all of the arguments as JSON text', () => {
  expect(coerce(schema, '{"path":"a","offset":"3"}')).toEqual({ path: 'a', offset: 3 });
});

test.each([
  ['text that looks like JSON where text is asked', { path: '{"a":1}' }],
  ['text that looks like a number where text is asked', { path: '12', note: 'true' }],
  ['null where null is allowed', { note: null }],
  ['null where a value is required', { path: null }],
  ['what is not a number', { offset: 'twelve', ratio: '', all: 'yes' }],
  ['a fraction where a whole number is asked', { offset: '1.5' }],
  ['a field nobody knows', { other: '1' }],
])('%s is left alone', (_what, given) => {
  expect(coerce(schema, given)).toBe(given);
});

test('what fits is handed back as the very same object', () => {
  const given = { path: 'a', edits: [{ old: 'x' }], env: { A: '1' } };
  expect(coerce(schema, given)).toBe(given);
});

test('references within a schema are followed, circles end', () => {
  const tree: JsonSchema = {
    type: 'object',
    properties: { root: { $ref: '#/$defs/node' } },
    $defs: { node: { type: 'object', properties: { value: { type: 'integer' }, next: { $ref: '#/$defs/node' } } } },
  };
  expect(coerce(tree, { root: { value: '1', next: '{"value":"2"}' } })).toEqual({
    root: { value: 1, next: { value: 2 } },
  });
  const circle: JsonSchema = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
  expect(coerce(circle, '1')).toBe('1');
  expect(shapeOf(tree)).toBe(
    '{root?: {value?: integer, next?: {value?: integer, next?: {value?: integer, next?: …}}}}',
  );
});

test('a name like __proto__ is a field like any other', () => {
  const given = JSON.parse('{"path":1,"__proto__":{"x":1}}');
  const bent = coerce(schema, given);
  expect(Object.keys(bent as object)).toEqual(['path', '__proto__']);
  expect(Object.getPrototypeOf(bent)).toBe(Object.prototype);
});

test('the shape of arguments fits in a line', () => {
  expect(shapeOf(schema)).toBe(
    '{path: string, offset?: integer, ratio?: number, all?: boolean, edits?: [{old: string, count?: integer}], tags?: [string], note?: string | null, env?: {<name>: string}, mode?: "a" | "b", either?: integer | [integer]}',
  );
});

test('a schema for a model has no dialect, no closed objects, no largest integers; a field of such a name stays', () => {
  const noisy = jsonSchema(
    z.strictObject({ maximum: z.int(), additionalProperties: z.int().min(1), $schema: z.string().optional() }),
  );
  expect(noisy).toEqual({
    type: 'object',
    properties: {
      maximum: { type: 'integer' },
      additionalProperties: { type: 'integer', minimum: 1 },
      $schema: { type: 'string' },
    },
    required: ['maximum', 'additionalProperties'],
  });
});
