import { messageOf } from './error.ts';

/**
 * What the kernel needs of a schema: the Standard Schema face (https://standardschema.dev).
 * Every zod type has it, so has every copy of zod; the kernel itself never loads zod.
 */
export interface Schema<T> {
  readonly '~standard': {
    readonly validate: (value: unknown) => SchemaResult<T> | Promise<SchemaResult<T>>;
    /** What a value must look like, for editors and pages: the Standard JSON Schema face. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-07' }) => Record<string, unknown> };
  };
}

export type SchemaResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string;
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
      }>;
    };

export type Parsed<T> = { ok: true; value: T } | { ok: false; issues: readonly string[] };

/** Parses at once; a schema that wants to wait is refused, since a table cannot wait. One that throws has found an issue. */
export function parse<T>(schema: Schema<T>, value: unknown): Parsed<T> {
  let result: SchemaResult<T> | Promise<SchemaResult<T>>;
  try {
    result = schema['~standard'].validate(value);
  } catch (error) {
    return { ok: false, issues: [messageOf(error)] };
  }
  if (result instanceof Promise)
    return { ok: false, issues: ['the schema is asynchronous; only synchronous ones are supported here'] };
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(issueText) };
}

/** Parses where there is time to wait: with any schema. */
export async function parseLater<T>(schema: Schema<T>, value: unknown): Promise<Parsed<T>> {
  try {
    const result = await schema['~standard'].validate(value);
    if (result.issues === undefined) return { ok: true, value: result.value };
    return { ok: false, issues: result.issues.map(issueText) };
  } catch (error) {
    return { ok: false, issues: [messageOf(error)] };
  }
}

function issueText(issue: {
  message: string;
  path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

/** A schema that takes everything as it is. */
export function anything<T>(): Schema<T> {
  return { '~standard': { validate: (value) => ({ value: value as T }) } };
}
