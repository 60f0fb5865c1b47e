// Refuses a call. A guarding hook has no way to say yes: an answer is a refusal, no answer is no opinion.
import { toolCall } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

export default definePlugin({
  id: 'veto',
  setup: (ctx) =>
    ctx.tap(toolCall, ({ tool, args }) => {
      const command = tool === 'bash' ? String(args.command) : '';
      return /\bgit\s+push\b.*--force/.test(command) ? { block: 'Force pushes are not made from here.' } : undefined;
    }),
});
