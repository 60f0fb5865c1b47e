import type { Schema } from './typebox.ts';
import { Value } from './typebox-value.ts';

interface Check {
  Check(value: unknown): boolean;
  Errors(value: unknown): ReturnType<typeof Value.Errors>;
  Parse(value: unknown): unknown;
}

/** A check of one schema. Nothing is compiled: arguments of tools are small. */
export const Compile = (schema: Schema): Check => ({
  Check: (value) => Value.Check(schema, value),
  Errors: (value) => Value.Errors(schema, value),
  Parse: (value) => Value.Parse(schema, value),
});

export const TypeCompiler = { Compile };
export default Compile;
