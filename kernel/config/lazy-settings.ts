import { KernError } from '../error.ts';
import type { Schema, SchemaResult } from '../schema.ts';

/** A config schema whose defaults are known before it is made. */
export interface LazySettings<T> extends Schema<T> {
  readonly standard: T;
  /** By name; makes the schema. */
  readonly shape: Readonly<Record<string, unknown>>;
}

/** A schema that shows its properties, as those of zod do. */
type Shown<T> = Schema<T> & { readonly shape: Readonly<Record<string, unknown>> };

/**
 * The `config` of a plugin that is there at every start. Most people set nothing, and a large schema takes milliseconds
 * to be made: it is made when there is something to check or to show. `standard` is what it makes of nothing, with every
 * name. Settings that a project or the environment may set, or that had another name, have to be known at once: such a
 * schema cannot wait.
 */
export function lazySettings<T extends object>(standard: T, make: () => Shown<T>): LazySettings<T> {
  let made: Shown<T> | undefined;
  const schema = (): Shown<T> => {
    made ??= checked(standard, make());
    return made;
  };
  return {
    standard,
    get shape() {
      return schema().shape;
    },
    '~standard': {
      validate: (value): SchemaResult<T> | Promise<SchemaResult<T>> =>
        isEmpty(value) ? { value: standard } : schema()['~standard'].validate(value),
      jsonSchema: { input: (options) => schema()['~standard'].jsonSchema?.input(options) ?? {} },
    },
  };
}

export function isLazy(schema: unknown): schema is LazySettings<object> {
  return typeof schema === 'object' && schema !== null && 'standard' in schema && 'shape' in schema;
}

/** What another schema than the one that was told of would mean shows when it is made. */
function checked<T extends object>(standard: T, schema: Shown<T>): Shown<T> {
  const unknown = Object.keys(schema.shape).filter((name) => !Object.hasOwn(standard, name));
  if (unknown.length === 0) return schema;
  throw new KernError('config_bad_setting', `the defaults of ${unknown.join(', ')} are missing`, {
    hint: 'lazySettings takes all names in `standard`, undefined where there is no default',
  });
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
