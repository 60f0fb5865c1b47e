// Bends and refuses. What guards has no yes: an answer is a refusal, and no answer is no opinion.
import { permissionAsk, sessionBeforeBranch, sessionBeforeCompact, sessionBeforeTree, toolInput } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

export default definePlugin({
  id: 'careful',
  config: z.object({ locked: z.boolean().default(false) }),
  setup(ctx) {
    const refusal = () => (ctx.config.locked ? { refuse: 'plugins.careful.locked is set.' } : undefined);
    ctx.tap(sessionBeforeBranch, refusal);
    ctx.tap(sessionBeforeTree, refusal);
    // Instead of refusing, a summary of its own can be given here, and for a tree that is left.
    ctx.tap(sessionBeforeCompact, ({ job }) =>
      ctx.config.locked
        ? { refuse: 'plugins.careful.locked is set.' }
        : { summary: `${job.messages.length} messages.` },
    );
    // The arguments of a call, before it is validated again and judged.
    ctx.tap(toolInput, ({ tool, callId, args }) =>
      tool === 'bash' && args.timeout === undefined ? { tool, callId, args: { ...args, timeout: 60 } } : undefined,
    );
    // In place of the person who would be asked. From a project only a refusal counts.
    ctx.tap(permissionAsk, ({ effects }) =>
      effects.some(({ kind }) => kind === 'delete') ? { verdict: 'deny', reason: 'Nothing is deleted.' } : undefined,
    );
  },
});
