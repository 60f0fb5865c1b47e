import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { readTool } from './read.ts';

export default definePlugin({
  id: 'tools.read',
  description: 'The tool read: a file, a part of one, an image, a document, a folder.',
  requires: ['tools', 'processes'],
  config: z.object({
    maxBytes: z.int().positive().default(50_000_000).describe('The largest image or document that is read'),
  }),
  setup: (ctx) => ctx.contribute(tools, readTool(ctx.config.maxBytes)),
});
