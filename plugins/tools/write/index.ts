import { fileStore, knownFiles, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { writeTool } from './write.ts';

const config = z.object({
  maxBytes: z.int().positive().default(10_000_000).describe('The largest file that is written'),
});

export default definePlugin({
  id: 'tools.write',
  description: 'The tool write: makes a file, or replaces a whole one that nobody has changed meanwhile.',
  requires: ['tools'],
  config,
  setup(ctx) {
    const hasChanged = (path: string): boolean => ctx.service(knownFiles).hasChanged(path);
    ctx.contribute(
      tools,
      writeTool(() => ctx.service(fileStore), ctx.config.maxBytes, hasChanged),
    );
  },
});
