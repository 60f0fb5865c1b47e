// A tool in ten lines. Put it into .kern/extensions/ (this project) or ~/.kern/extensions/ (everywhere).
import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

export default definePlugin({
  id: 'hello',
  setup: (ctx) =>
    ctx.contribute(tools, {
      name: 'hello',
      description: 'Greets someone.',
      parameters: z.object({ name: z.string() }),
      effects: () => [],
      execute: async (_id, { name }) => ({ content: [{ type: 'text', text: `Hello, ${name}!` }] }),
    }),
});
