import {
  alternativesOf,
  dereferenced,
  isOfKind,
  isRecord,
  type JsonSchema,
  propertiesOf,
  requiredOf,
  shapeOf,
} from './json-schema.ts';

/**
 * What is wrong with a value, for tools that bring a JSON Schema and no validator of their own: kinds, required and
 * unknown fields, fixed values. Finer keywords (lengths, patterns, conditions) are the tool's own to check.
 */
export function problemsOf(schema: JsonSchema, value: unknown): readonly string[] {
  return problems(schema, value, schema, '', 0);
}

function problems(
  schema: JsonSchema,
  value: unknown,
  root: JsonSchema,
  path: string,
  depth: number,
): readonly string[] {
  const plain = dereferenced(schema, root);
  if (depth > 32) return [];
  const all = Array.isArray(plain.allOf)
    ? plain.allOf.filter(isRecord).flatMap((part) => problems(part, value, root, path, depth + 1))
    : [];
  const options = alternativesOf(plain);
  if (options !== undefined) {
    const found = options.map((option) => problems(option, value, root, path, depth + 1));
    if (found.some(({ length }) => length === 0)) return all;
    const near = options.length === 1 ? found[0] : found.find((_, at) => isOfKind(options[at] ?? {}, value, root));
    return [...all, ...(near ?? [says(path, `expected ${shapeOf(plain, root)}, received ${kindOf(value)}`)])];
  }
  if (!isOfKind(plain, value, root))
    return [...all, says(path, `expected ${shapeOf(plain, root)}, received ${kindOf(value)}`)];
  if (Array.isArray(value)) {
    const { items } = plain;
    return isRecord(items)
      ? [...all, ...value.flatMap((item, at) => problems(items, item, root, join(path, String(at)), depth + 1))]
      : all;
  }
  if (!isRecord(value)) return all;
  const properties = propertiesOf(plain);
  const missing = requiredOf(plain)
    .filter((name) => value[name] === undefined)
    .map((name) => says(join(path, name), 'is missing'));
  const inner = Object.entries(value).flatMap(([name, field]) => {
    const property =
      properties.get(name) ?? (isRecord(plain.additionalProperties) ? plain.additionalProperties : undefined);
    if (property !== undefined)
      return field === undefined ? [] : problems(property, field, root, join(path, name), depth + 1);
    return plain.additionalProperties === false ? [says(join(path, name), 'is not a known field')] : [];
  });
  return [...all, ...missing, ...inner];
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
const says = (path: string, what: string): string => (path === '' ? what : `${path}: ${what}`);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object'
    ? 'an object'
    : `${typeof value} ${JSON.stringify(value)?.slice(0, 40) ?? ''}`.trimEnd();
}
