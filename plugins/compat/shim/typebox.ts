/** JSON Schema, as TypeBox builds it. */
export type Schema = Record<string, unknown>;
type Options = Readonly<Record<string, unknown>>;

const optional: unique symbol = Symbol('optional');

const hidden = (schema: Schema, key: symbol): Schema => Object.defineProperty({ ...schema }, key, { value: true });
const isOptional = (schema: Schema): boolean => optional in schema;

/** Without what makes a property optional; what JSON Schema says of it stays. */
const plain = (schema: Schema): Schema => ({ ...schema });

function object(properties: Readonly<Record<string, Schema>>, options: Options = {}): Schema {
  const required = Object.keys(properties).filter((name) => !isOptional(properties[name] as Schema));
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
}

const propertiesOf = (schema: Schema): Record<string, Schema> => (schema.properties ?? {}) as Record<string, Schema>;
const requiredOf = (schema: Schema): readonly string[] => (schema.required ?? []) as readonly string[];

/** The same properties, made anew: what is required stays required. */
function remade(
  schema: Schema,
  change: (name: string, property: Schema, isRequired: boolean) => Schema | undefined,
): Schema {
  const { properties: _properties, required: _required, type: _type, ...rest } = schema;
  const required = requiredOf(schema);
  const properties = Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const changed = change(name, property, required.includes(name));
    return changed === undefined ? [] : [[name, changed] as const];
  });
  return object(Object.fromEntries(properties), rest);
}

const asIs = (property: Schema, isRequired: boolean): Schema =>
  isRequired ? plain(property) : hidden(property, optional);

const keysOf = (keys: unknown): readonly string[] => {
  if (Array.isArray(keys)) return keys.map(String);
  const schema = keys as Schema;
  if (typeof schema.const === 'string') return [schema.const];
  return ((schema.anyOf ?? []) as readonly Schema[]).map((one) => String(one.const));
};

const literal = (value: unknown, options: Options = {}): Schema => ({ type: typeof value, const: value, ...options });

function intersect(schemas: readonly Schema[], options: Options = {}): Schema {
  return { allOf: schemas.map(plain), ...options };
}

/** Properties of all, the later ones first. */
function composite(schemas: readonly Schema[], options: Options = {}): Schema {
  const all = schemas.flatMap((schema) =>
    Object.entries(propertiesOf(schema)).map(
      ([name, property]) => [name, asIs(property, requiredOf(schema).includes(name))] as const,
    ),
  );
  return object(Object.fromEntries(all), options);
}

/** Builds JSON Schema under TypeBox's names: the part of it that describes data. */
export const Type = {
  Any: (options: Options = {}): Schema => ({ ...options }),
  Unknown: (options: Options = {}): Schema => ({ ...options }),
  Never: (options: Options = {}): Schema => ({ not: {}, ...options }),
  Null: (options: Options = {}): Schema => ({ type: 'null', ...options }),
  Undefined: (options: Options = {}): Schema => ({ type: 'undefined', ...options }),
  Void: (options: Options = {}): Schema => ({ type: 'void', ...options }),
  String: (options: Options = {}): Schema => ({ type: 'string', ...options }),
  Number: (options: Options = {}): Schema => ({ type: 'number', ...options }),
  Integer: (options: Options = {}): Schema => ({ type: 'integer', ...options }),
  Boolean: (options: Options = {}): Schema => ({ type: 'boolean', ...options }),
  Literal: literal,
  Const: literal,
  Array: (items: Schema, options: Options = {}): Schema => ({ type: 'array', items: plain(items), ...options }),
  Tuple: (items: readonly Schema[], options: Options = {}): Schema => ({
    type: 'array',
    items: items.map(plain),
    additionalItems: false,
    minItems: items.length,
    maxItems: items.length,
    ...options,
  }),
  Object: object,
  Record: (_key: Schema, value: Schema, options: Options = {}): Schema => ({
    type: 'object',
    additionalProperties: plain(value),
    ...options,
  }),
  Union: (schemas: readonly Schema[], options: Options = {}): Schema => ({ anyOf: schemas.map(plain), ...options }),
  Intersect: intersect,
  Composite: composite,
  Enum: (
    values: Readonly<Record<string, string | number>> | readonly (string | number)[],
    options: Options = {},
  ): Schema => ({
    anyOf: (Array.isArray(values) ? values : enumValues(values as Readonly<Record<string, string | number>>)).map(
      (value) => literal(value),
    ),
    ...options,
  }),
  Optional: (schema: Schema): Schema => hidden(schema, optional),
  Required: (schema: Schema): Schema => remade(schema, (_name, property) => plain(property)),
  Partial: (schema: Schema): Schema => remade(schema, (_name, property) => hidden(property, optional)),
  Pick: (schema: Schema, keys: unknown): Schema =>
    remade(schema, (name, property, isRequired) =>
      keysOf(keys).includes(name) ? asIs(property, isRequired) : undefined,
    ),
  Omit: (schema: Schema, keys: unknown): Schema =>
    remade(schema, (name, property, isRequired) =>
      keysOf(keys).includes(name) ? undefined : asIs(property, isRequired),
    ),
  KeyOf: (schema: Schema): Schema => ({ anyOf: Object.keys(propertiesOf(schema)).map((name) => literal(name)) }),
  Readonly: (schema: Schema): Schema => schema,
  ReadonlyOptional: (schema: Schema): Schema => hidden(schema, optional),
  Unsafe: (schema: Schema = {}): Schema => ({ ...schema }),
  Ref: (target: unknown, options: Options = {}): Schema => ({
    $ref: typeof target === 'string' ? target : (target as Schema).$id,
    ...options,
  }),
  Date: (options: Options = {}): Schema => ({ type: 'string', format: 'date-time', ...options }),
  RegExp: (pattern: RegExp | string, options: Options = {}): Schema => ({
    type: 'string',
    pattern: typeof pattern === 'string' ? pattern : pattern.source,
    ...options,
  }),
  TemplateLiteral: (_parts: unknown, options: Options = {}): Schema => ({ type: 'string', ...options }),
} as const;

/** Of a numeric enum TypeScript also writes the names by number. */
function enumValues(values: Readonly<Record<string, string | number>>): readonly (string | number)[] {
  return Object.keys(values)
    .filter((name) => Number.isNaN(Number(name)))
    .map((name) => values[name] as string | number);
}

/** The module: the builder, and its functions by themselves. */
export const typebox: Readonly<Record<string, unknown>> = { ...Type, Type, default: Type };
