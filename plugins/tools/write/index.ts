import { fileStore, toolCall, toolResult, tools } from 'kern/contracts';
import { type Context, codeOf, definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { createKnownFiles } from './known-files.ts';
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
    const known = createKnownFiles();
    const session = () => sessionOf(ctx);
    ctx.contribute(
      tools,
      writeTool(
        () => ctx.service(fileStore),
        ctx.config.maxBytes,
        (path) => known.hasChanged(session(), path),
      ),
    );
    ctx.tap(toolCall, ({ tool, effects }) => {
      known.before(session(), tool, effects);
      return undefined;
    });
    ctx.tap(toolResult, ({ tool, result }) => {
      known.after(session(), tool, result);
      return undefined;
    });
  },
});

/** Where no session runs, as on the command line, what is known is nobody's. */
function sessionOf(ctx: Context<z.infer<typeof config>>): string {
  try {
    return ctx.session.id;
  } catch (error) {
    if (codeOf(error) !== 'no_session') throw error;
    return '';
  }
}
