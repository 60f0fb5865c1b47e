import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

const dialect = 'http://json-schema.org/draft-07/schema#';

/** A schema with its title, in the dialect that editors know best. */
export function titled(title: string, description: string, body: JsonSchema): JsonSchema {
  return { $schema: dialect, title, description, ...body };
}

/** zod's own translation, of what is written rather than of what is made of it. */
export function fromZod(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...body } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  });
  return body;
}
