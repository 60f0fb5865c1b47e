import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { createLs } from './ls.ts';

const config = z.object({ active: z.boolean().default(false).describe('Offered to models without --tools') });

export default definePlugin<z.infer<typeof config>>({
  id: 'tools.ls',
  description: 'The tool ls: what is in a folder.',
  requires: ['tools', 'processes'],
  config,
  setup: (ctx) => ctx.contribute(tools, createLs(ctx.config)),
});
