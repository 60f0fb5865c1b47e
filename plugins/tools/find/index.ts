import { searching, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { createFind } from './find.ts';

const config = z.object({
  active: z.boolean().default(false).describe('Offered to models without --tools'),
  timeout: z
    .number()
    .positive()
    .max(3_600)
    .default(searching.defaultLimitSeconds)
    .describe('So many seconds, then what was found until then is shown'),
});

export default definePlugin<z.infer<typeof config>>({
  id: 'tools.find',
  description: 'The tool find: files and folders by name.',
  requires: ['tools', 'processes'],
  config,
  setup: (ctx) => ctx.contribute(tools, createFind(ctx.config)),
});
