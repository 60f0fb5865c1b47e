import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { createFind } from './find.ts';

const config = z.object({ active: z.boolean().default(false).describe('Offered to models without --tools') });

export default definePlugin<z.infer<typeof config>>({
  id: 'tools.find',
  description: 'The tool find: files and folders by name.',
  requires: ['tools', 'processes'],
  config,
  setup: (ctx) => ctx.contribute(tools, createFind(ctx.config)),
});
