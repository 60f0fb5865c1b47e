import { expect, test } from 'vitest';
import { scriptSchema } from './api.ts';
import {
  amount,
  either,
  flag,
  listOf,
  mapOf,
  may,
  must,
  name,
  oneOf,
  or,
  placeName,
  type Shape,
  text,
  whole,
} from './shape.ts';

const thing = mapOf({
  id: must(name),
  kind: or(oneOf('a', 'b'), 'a'),
  size: may(whole(1, 9)),
  rate: may(amount(0)),
  tags: or(listOf(text), []),
  isOn: may(flag),
  either: may(either<string | boolean>([text, flag], (value) => (typeof value === 'string' ? text : flag))),
});

const problem = (shape: Shape<unknown>, value: unknown): string => {
  try {
    shape(value, []);
  } catch (error) {
    return `${placeName((error as { place: [] }).place)}: ${(error as Error).message}`;
  }
  return 'none';
};

test('what is left out is filled in', () => {
  const filled = { kind: 'a', size: undefined, rate: undefined, tags: [], isOn: undefined, either: undefined };
  expect(thing({ id: 'x', size: null }, [])).toEqual({ id: 'x', ...filled });
});

test.each([
  [{}, 'id: is missing; expected a text that is not empty'],
  [{ id: '' }, 'id: expected a text that is not empty, not ""'],
  [{ id: 'x', kind: 'c' }, 'kind: expected a or b, not "c"'],
  [{ id: 'x', size: 1.5 }, 'size: expected a whole number, not 1.5'],
  [{ id: 'x', size: 10 }, 'size: expected a number from 1 to 9, not 10'],
  [{ id: 'x', rate: '1' }, 'rate: expected a number from 0, not "1"'],
  [{ id: 'x', tags: ['a', 7] }, 'tags[1]: expected a text, not 7'],
  [{ id: 'x', tags: 'a' }, 'tags: expected a list, not "a"'],
  [{ id: 'x', isOn: 'yes' }, 'isOn: expected true or false, not "yes"'],
  [{ id: 'x', either: 7 }, 'either: expected true or false, not 7'],
  [{ id: 'x', sise: 1 }, 'sise: is not known; did you mean size?'],
  [{ id: 'x', colour: 1 }, 'colour: is not known; there are id, kind, size, rate, tags, isOn, either'],
  [[], ': expected a map, not []'],
  [
    JSON.parse('{"id":"x","__proto__":{}}'),
    '__proto__: is not known; there are id, kind, size, rate, tags, isOn, either',
  ],
])('%j: %s', (value, said) => {
  expect(problem(thing, value)).toBe(said);
});

test('a shape says itself as JSON Schema', async () => {
  expect(thing.schema).toEqual({
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 1 },
      kind: { enum: ['a', 'b'] },
      size: { type: 'integer', minimum: 1, maximum: 9 },
      rate: { type: 'number', minimum: 0 },
      tags: { type: 'array', items: { type: 'string' } },
      isOn: { type: 'boolean' },
      either: { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
    },
    required: ['id'],
    additionalProperties: false,
  });
  expect(await scriptSchema()).toMatchObject({
    type: 'object',
    required: ['version', 'turns'],
    properties: { turns: { type: 'array' } },
  });
});
