import { fileStore, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { editTool } from './edit.ts';

export default definePlugin({
  id: 'tools.edit',
  description: 'The tool edit: replaces texts in a file and leaves every other byte alone.',
  requires: ['tools', 'processes'],
  config: z.object({ maxBytes: z.int().positive().default(10_000_000).describe('The largest file that is edited') }),
  setup(ctx) {
    ctx.contribute(
      tools,
      editTool(() => ctx.service(fileStore), ctx.config.maxBytes),
    );
  },
});
