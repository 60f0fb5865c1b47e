import { expect, test } from 'vitest';
import { problemsOf } from './check.ts';
import type { JsonSchema } from './json-schema.ts';

const schema: JsonSchema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    unit: { enum: ['c', 'f'] },
    spots: { type: 'array', items: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] } },
    at: {
      anyOf: [{ type: 'string' }, { type: 'object', properties: { hour: { type: 'integer' } }, required: ['hour'] }],
    },
  },
  required: ['city'],
  additionalProperties: false,
};

test('what is right has no problems', () => {
  expect(problemsOf(schema, { city: 'Ulm', days: 3, unit: 'c', spots: [{ lat: 1.5 }], at: { hour: 2 } })).toEqual([]);
  expect(problemsOf({}, { anything: 1 })).toEqual([]);
});

test.each([
  [{}, 'city: is missing'],
  [{ city: 1 }, 'city: expected string, received number 1'],
  [{ city: 'x', days: 1.5 }, 'days: expected integer, received number 1.5'],
  [{ city: 'x', unit: 'k' }, 'unit: expected "c" | "f", received string "k"'],
  [{ city: 'x', spots: [{ lat: 1 }, {}] }, 'spots.1.lat: is missing'],
  [{ city: 'x', spots: {} }, 'spots: expected [{lat: number}], received an object'],
  [{ city: 'x', at: { hour: 'two' } }, 'at.hour: expected integer, received string "two"'],
  [{ city: 'x', at: 3 }, 'at: expected string | {hour: integer}, received number 3'],
  [{ city: 'x', zip: 1 }, 'zip: is not a known field'],
  [
    [],
    'expected {city: string, days?: integer, unit?: "c" | "f", spots?: [{lat: number}], at?: string | {hour: integer}}, received a list',
  ],
])('%j is told what is wrong with which field', (value, problem) => {
  expect(problemsOf(schema, value)).toEqual([problem]);
});
