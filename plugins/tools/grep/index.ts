import { searching, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { createGrep } from './grep.ts';

const config = z.object({
  rg: z
    .union([z.string(), z.literal(false)])
    .optional()
    .describe('Where ripgrep is; false: the built-in matcher answers'),
  active: z.boolean().default(false).describe('Offered to models without --tools'),
  timeout: z
    .number()
    .positive()
    .max(3_600)
    .default(searching.defaultLimitSeconds)
    .describe('So many seconds, then what was found until then is shown'),
});

export default definePlugin<z.infer<typeof config>>({
  id: 'tools.grep',
  description: 'The tool grep: searches the contents of files, with ripgrep or without.',
  requires: ['tools', 'processes'],
  config,
  setup(ctx) {
    const { rg } = ctx.config;
    if (typeof rg === 'string' && !searching.isProgram(rg))
      ctx.log.warn(
        `plugins.tools.grep.rg: ${rg} is no program; another ripgrep is looked for, else the built-in matcher answers`,
      );
    ctx.contribute(tools, createGrep(ctx.config));
  },
});
