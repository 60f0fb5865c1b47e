import {
  alternativesOf,
  dereferenced,
  isOfKind,
  isRecord,
  type JsonSchema,
  propertiesOf,
  requiredOf,
} from './json-schema.ts';

/**
 * Bends what models send into what the schema asks for, where there is no doubt: a number or `true` in quotes, one
 * thing where a list of them is asked, JSON inside a string, null for what may be left out. What fits is left alone.
 */
export function coerce(schema: JsonSchema, value: unknown): unknown {
  return bent(schema, value, schema, 0);
}

function bent(schema: JsonSchema, value: unknown, root: JsonSchema, depth: number): unknown {
  if (depth > 32) return value;
  const plain = dereferenced(schema, root);
  const options = alternativesOf(plain);
  if (options !== undefined) return fittest(options, value, root, depth);
  switch (plain.type) {
    case 'object':
      return bentObject(plain, value, root, depth);
    case 'array':
      return bentList(plain, value, root, depth);
    case 'number':
    case 'integer':
      return numberIn(value, plain.type === 'integer') ?? value;
    case 'boolean':
      return truthIn(value) ?? value;
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    default:
      return value;
  }
}

/** An alternative of the right kind, else one that the value can be bent to. */
function fittest(options: readonly JsonSchema[], value: unknown, root: JsonSchema, depth: number): unknown {
  const fitting = options.find((option) => isOfKind(option, value, root));
  if (fitting !== undefined) return bent(fitting, value, root, depth + 1);
  for (const option of options) {
    const candidate = bent(option, value, root, depth + 1);
    if (isOfKind(option, candidate, root)) return candidate;
  }
  return value;
}

function bentObject(schema: JsonSchema, value: unknown, root: JsonSchema, depth: number): unknown {
  const object = typeof value === 'string' ? jsonIn(value) : value;
  if (!isRecord(object)) return value;
  const required = requiredOf(schema);
  const properties = propertiesOf(schema);
  const rest = isRecord(schema.additionalProperties) ? schema.additionalProperties : undefined;
  const entries = Object.entries(object).flatMap(([name, inner]): [string, unknown][] => {
    const property = properties.get(name) ?? rest;
    if (property === undefined) return [[name, inner]];
    if (inner === null && !required.includes(name) && !isOfKind(property, null, root)) return [];
    return [[name, bent(property, inner, root, depth + 1)]];
  });
  const changed =
    object !== value ||
    entries.length !== Object.keys(object).length ||
    entries.some(([name, inner]) => object[name] !== inner);
  return changed ? Object.fromEntries(entries) : value;
}

function bentList(schema: JsonSchema, value: unknown, root: JsonSchema, depth: number): unknown {
  if (value === null || value === undefined) return value;
  const parsed = typeof value === 'string' ? jsonIn(value) : undefined;
  const list: readonly unknown[] = Array.isArray(value)
    ? value
    : Array.isArray(parsed)
      ? parsed
      : [isRecord(parsed) ? parsed : value];
  const items = isRecord(schema.items) ? schema.items : {};
  const next = list.map((item) => bent(items, item, root, depth + 1));
  return Array.isArray(value) && next.every((item, at) => item === list[at]) ? value : next;
}

/** The object or list that a string holds as JSON. */
function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function numberIn(value: unknown, whole: boolean): number | undefined {
  if (typeof value !== 'string' || !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) && (!whole || Number.isInteger(number)) ? number : undefined;
}

function truthIn(value: unknown): boolean | undefined {
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}
