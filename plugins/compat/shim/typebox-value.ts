import { Validator } from '@cfworker/json-schema';
import type { Schema } from './typebox.ts';

interface Problem {
  /** A JSON pointer. */
  readonly path: string;
  readonly message: string;
}

/** What TypeBox does with values, as far as it looks at them and changes nothing. */
export const Value = {
  Check: (schema: Schema, value: unknown): boolean => problems(schema, value).length === 0,
  Errors: problems,
  Parse(schema: Schema, value: unknown): unknown {
    const found = problems(schema, value);
    if (found.length === 0) return value;
    throw new TypeError(found.map(({ path, message }) => `${path}: ${message}`).join('; '));
  },
  Decode: (schema: Schema, value: unknown): unknown => Value.Parse(schema, value),
  Clone: <T>(value: T): T => structuredClone(value),
  Equal: (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other),
};

export const { Check, Errors, Parse, Decode, Clone, Equal } = Value;
export default Value;

function problems(schema: Schema, value: unknown): readonly Problem[] {
  const { valid, errors } = new Validator(JSON.parse(JSON.stringify(schema)), '2020-12', false).validate(value);
  return valid
    ? []
    : errors.map(({ instanceLocation, error }) => ({ path: instanceLocation.slice(1), message: error }));
}
