// No types, no build: plain JavaScript is a plugin too.
import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

export default definePlugin({
  id: 'dice',
  setup: (ctx) =>
    ctx.contribute(tools, {
      name: 'dice',
      description: 'Rolls a die.',
      parameters: z.object({ sides: z.number().int().min(2).default(6) }),
      effects: () => [],
      execute: async (_id, { sides }) => ({
        content: [{ type: 'text', text: String(1 + Math.floor(Math.random() * sides)) }],
      }),
    }),
});
