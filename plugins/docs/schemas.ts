import { type CommandHost, schemas } from 'kern/contracts';
import type { Context } from 'kern/plugin';

/** A schema as `kern schema <name>` prints it. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: unknown;
}

/** Every schema that a plugin offers, by name. */
export async function makeSchemas(ctx: Context, { view, signal }: CommandHost): Promise<readonly NamedSchema[]> {
  const reader = ctx.use(schemas);
  await reader.load(signal);
  const won = reader.entries().filter(({ verdict }) => verdict.state === 'won');
  return Promise.all(
    won.map(
      async (entry): Promise<NamedSchema> => ({
        name: entry.item.name,
        schema: await ctx.run(entry, (item) => item.make(view)),
      }),
    ),
  );
}
