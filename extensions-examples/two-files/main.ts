// A folder with a package.json names its entries under kern.extensions; a change of any file of it is one reload.
import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { slugOf } from './slug.ts';

export default definePlugin({
  id: 'slug',
  setup: (ctx) =>
    ctx.contribute(tools, {
      name: 'slug',
      description: 'Makes a title fit for a URL.',
      parameters: z.object({ title: z.string() }),
      effects: () => [],
      execute: async (_id, { title }) => ({ content: [{ type: 'text', text: slugOf(title) }] }),
    }),
});
