// Settings of its own, under plugins.signature in config.yml:
//   plugins:
//     signature: { text: "-- sent by kern" }
// A bad value costs only itself: the default is used, and `kern doctor` names file and line.
import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

export default definePlugin({
  id: 'signature',
  config: z.object({ text: z.string().default('-- kern') }),
  setup: (ctx) =>
    ctx.contribute(tools, {
      name: 'sign',
      description: 'Adds the signature of this project to a text.',
      parameters: z.object({ text: z.string() }),
      effects: () => [],
      execute: async (_id, { text }) => ({ content: [{ type: 'text', text: `${text}\n${ctx.config.text}` }] }),
    }),
});
