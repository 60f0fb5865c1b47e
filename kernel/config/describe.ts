import type { Schema } from '../schema.ts';
import { type Row, variableOf } from './settings.ts';

/** A setting as pages, editors and schemas show it. */
export interface SettingDescription {
  readonly key: string;
  /** The keys of the file that lead to it. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly default: unknown;
  /** What it may be, as JSON Schema; missing where its schema cannot say. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** The variable of the environment that sets it. */
  readonly variable?: string;
  /** A project may set it. */
  readonly project: boolean;
}

export function describeSetting(row: Row): SettingDescription {
  const schema = jsonOf(row.schema);
  const variable = variableOf(row);
  return {
    key: row.key,
    path: row.path,
    summary: row.summary,
    default: row.default,
    ...(schema === undefined ? {} : { schema }),
    ...(variable === undefined ? {} : { variable }),
    project: row.project === true,
  };
}

/** What stands beside the schema here is left out of it. A schema that has no JSON face, or only half of one, is none. */
function jsonOf(schema: Schema<unknown>): Readonly<Record<string, unknown>> | undefined {
  try {
    const json = schema['~standard'].jsonSchema?.input({ target: 'draft-07' });
    if (json === undefined) return undefined;
    const { $schema, default: _default, description, env, project, was, ...rest } = json;
    return rest;
  } catch {
    return undefined; // zod throws for what JSON cannot say
  }
}
