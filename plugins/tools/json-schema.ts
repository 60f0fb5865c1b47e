/** A JSON Schema, as far as it is looked into. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The named properties of an object schema. */
export function propertiesOf(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const { properties } = schema;
  return new Map(
    isRecord(properties)
      ? Object.entries(properties).filter((entry): entry is [string, JsonSchema] => isRecord(entry[1]))
      : [],
  );
}

export function requiredOf(schema: JsonSchema): readonly string[] {
  return Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
}

/** The alternatives of `anyOf` and `oneOf`, and of a list of types. */
export function alternativesOf(schema: JsonSchema): readonly JsonSchema[] | undefined {
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return options.filter(isRecord);
  const { type } = schema;
  return Array.isArray(type) ? type.map((one: unknown) => ({ ...schema, type: one })) : undefined;
}

/** Follows a `$ref` within the schema. */
export function dereferenced(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let steps = 0; steps < 20 && typeof current.$ref === 'string'; steps += 1) {
    const path = current.$ref.startsWith('#/') ? current.$ref.slice(2).split('/') : [];
    let target: unknown = current.$ref.startsWith('#') ? root : {};
    for (const part of path)
      target = isRecord(target) ? target[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
    current = isRecord(target) ? target : {};
  }
  return current;
}

/** Whether a value is of the kind a schema asks for, without a look inside. */
export function isOfKind(schema: JsonSchema, value: unknown, root: JsonSchema): boolean {
  const plain = dereferenced(schema, root);
  if ('const' in plain) return plain.const === value;
  if (Array.isArray(plain.enum)) return plain.enum.includes(value);
  const options = alternativesOf(plain);
  if (options !== undefined) return options.some((option) => isOfKind(option, value, root));
  switch (plain.type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    default:
      return true;
  }
}

/** What a value should look like, in a line: `{path: string, edits: [{oldText: string, newText: string}]}`. */
export function shapeOf(schema: JsonSchema, root: JsonSchema = schema, depth = 0): string {
  const plain = dereferenced(schema, root);
  if ('const' in plain) return JSON.stringify(plain.const);
  if (Array.isArray(plain.enum)) return plain.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = alternativesOf(plain);
  if (options !== undefined) return [...new Set(options.map((option) => shapeOf(option, root, depth)))].join(' | ');
  if (depth > 3 && (plain.type === 'array' || plain.type === 'object')) return '…';
  if (plain.type === 'array') return `[${isRecord(plain.items) ? shapeOf(plain.items, root, depth + 1) : 'any'}]`;
  if (plain.type !== 'object') return typeof plain.type === 'string' ? plain.type : 'any';
  const required = new Set(requiredOf(plain));
  const fields = [...propertiesOf(plain)].map(
    ([name, field]) => `${name}${required.has(name) ? '' : '?'}: ${shapeOf(field, root, depth + 1)}`,
  );
  if (fields.length === 0 && isRecord(plain.additionalProperties))
    fields.push(`<name>: ${shapeOf(plain.additionalProperties, root, depth + 1)}`);
  return `{${fields.join(', ')}}`;
}

/** Without what says nothing to a model: the dialect, closed objects, names that are text, the largest integers there are. */
export function tidied(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === '$schema' || (keyword === 'additionalProperties' && !isRecord(value))) return [];
    if (keyword === 'additionalProperties' && isRecord(value) && Object.keys(value).length === 0) return [];
    // JSON has no other names.
    if (keyword === 'propertyNames' && isRecord(value) && value.type === 'string' && Object.keys(value).length === 1)
      return [];
    if ((keyword === 'maximum' || keyword === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)
      return [];
    if (
      (keyword === 'properties' ||
        keyword === '$defs' ||
        keyword === 'definitions' ||
        keyword === 'patternProperties') &&
      isRecord(value)
    ) {
      return [
        [
          keyword,
          Object.fromEntries(
            Object.entries(value).map(([name, inner]) => [name, isRecord(inner) ? tidied(inner) : inner]),
          ),
        ],
      ];
    }
    if (['items', 'additionalProperties', 'not', 'contains', 'propertyNames'].includes(keyword) && isRecord(value))
      return [[keyword, tidied(value)]];
    if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword) && Array.isArray(value))
      return [[keyword, value.map((inner) => (isRecord(inner) ? tidied(inner) : inner))]];
    return [[keyword, value]];
  });
  return Object.fromEntries(kept);
}
