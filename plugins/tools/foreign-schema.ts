import { problemsOf } from './check.ts';
import { isRecord, type JsonSchema } from './json-schema.ts';

/**
 * What is wrong with a value, for tools that bring a JSON Schema and no validator of their own. First in our words; what
 * those do not know (lengths, patterns, conditions) is for a validator, which is loaded only where there is some of it.
 */
export async function problemsBySchema(schema: JsonSchema, value: unknown): Promise<readonly string[]> {
  const problems = problemsOf(schema, value);
  return problems.length > 0 || !hasMore(schema) ? problems : validated(schema, value);
}

/** The keywords that `problemsOf` looks at, and those that ask for nothing. */
const known = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'],
  ...['$ref', '$defs', 'definitions', '$schema', '$id', '$comment'],
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
]);

function hasMore(schema: unknown, depth = 0): boolean {
  if (!isRecord(schema) || depth > 32) return false;
  return Object.entries(schema).some(([keyword, inner]) => {
    if (!known.has(keyword)) return true;
    // One of several, and no more: what we know of is that one fits.
    if (keyword === 'oneOf') return true;
    if (['properties', '$defs', 'definitions'].includes(keyword) && isRecord(inner))
      return Object.values(inner).some((one) => hasMore(one, depth + 1));
    if (Array.isArray(inner)) return inner.some((one) => hasMore(one, depth + 1));
    return ['items', 'additionalProperties'].includes(keyword) && hasMore(inner, depth + 1);
  });
}

/** These only say that something below them is wrong. */
const summaries = new Set(['properties', 'items', 'allOf', 'anyOf', '$ref', 'prefixItems', 'patternProperties']);

async function validated(schema: JsonSchema, value: unknown): Promise<readonly string[]> {
  const { Validator } = await import('@cfworker/json-schema');
  const { $schema } = schema;
  const draft = typeof $schema === 'string' && /draft-0?(4|7)/.exec($schema)?.[1];
  try {
    const version = draft === '4' || draft === '7' ? draft : '2020-12';
    const { valid, errors } = new Validator({ ...schema }, version, false).validate(value);
    if (valid) return [];
    const leaves = errors.filter(({ keyword }) => !summaries.has(keyword));
    const told = (leaves.length > 0 ? leaves : errors).map(({ instanceLocation, error }) => {
      const path = instanceLocation.replace(/^#\/?/, '').split('/').map(unescaped).join('.');
      return path === '' ? error : `${path}: ${error}`;
    });
    return [...new Set(told)];
  } catch {
    // It refers to what is not here, or is no schema: then it is for the tool to say what it does not like.
    return [];
  }
}

const unescaped = (part: string): string => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
