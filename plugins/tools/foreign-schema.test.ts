import { expect, test } from 'vitest';
import { problemsBySchema } from './foreign-schema.ts';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

test.each([
  ['a length', object({ a: { type: 'string', minLength: 3 } }), { a: 'x' }, /^a: .*short/i],
  ['a pattern', object({ a: { type: 'string', pattern: '^\\d+$' } }), { a: 'x' }, /^a: .*pattern/i],
  ['a bound', object({ a: { type: 'integer', maximum: 5 } }), { a: 9 }, /^a: .*5/],
  [
    'a list too long, deep inside',
    object({ a: object({ b: { type: 'array', maxItems: 1 } }) }),
    { a: { b: [1, 2] } },
    /^a\.b: /,
  ],
  ['a field of a pattern', { type: 'object', patternProperties: { '^x': { type: 'number' } } }, { xy: 'no' }, /^xy: /],
  ['a condition', JSON.parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}}'), { a: 1 }, /b/],
  ['a field that needs another', object({}, { dependentRequired: { a: ['b'] } }), { a: 1 }, /b/],
  ['what is not', object({ a: { not: { type: 'string' } } }), { a: 'x' }, /^a: /],
  ['two that fit where one may', { oneOf: [{ type: 'object' }, { required: ['a'] }] }, { a: 1 }, /./],
])('%s is looked at', async (_what, schema, value, told) => {
  const problems = await problemsBySchema(schema, value);
  expect(problems).not.toEqual([]);
  expect(problems.join('\n')).toMatch(told);
});

test('what fits has no problems, and what is plain is told in our words', async () => {
  const schema = object({ a: { type: 'string', minLength: 1 } }, { required: ['a'] });
  expect(await problemsBySchema(schema, { a: 'x' })).toEqual([]);
  expect(await problemsBySchema(schema, {})).toEqual(['a: is missing']);
  expect(await problemsBySchema(schema, { a: 1 })).toEqual(['a: expected string, received number 1']);
});

test('a schema that refers to what is not there, or is broken, refuses nobody', async () => {
  expect(
    await problemsBySchema(object({ a: { $ref: 'https://example.org/no.json', minLength: 1 } }), { a: 1 }),
  ).toEqual([]);
  expect(await problemsBySchema(object({ a: { type: 'string', pattern: '(' } }), { a: 'x' })).toEqual([]);
});
