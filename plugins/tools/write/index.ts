import { fileStore, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { writeTool } from './write.ts';

export default definePlugin({
  id: 'tools.write',
  description: 'The tool write: makes a file, or replaces a whole one.',
  requires: ['tools'],
  config: z.object({ maxBytes: z.int().positive().default(10_000_000).describe('The largest file that is written') }),
  setup(ctx) {
    ctx.contribute(
      tools,
      writeTool(() => ctx.service(fileStore), ctx.config.maxBytes),
    );
  },
});
