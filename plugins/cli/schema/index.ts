import { commands, schemas } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { schema } from './command.ts';
import { sources } from './sources.ts';

/** `kern schema`, and the schemas of what kern itself reads and writes. */
export default definePlugin({
  id: 'cli.schema',
  setup: (ctx) => {
    ctx.contribute(commands, schema);
    for (const source of sources) ctx.contribute(schemas, source);
  },
});
