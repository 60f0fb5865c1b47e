import { pendingChanges, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { createPendingChanges } from './pending.ts';
import { resolveTool } from './resolve.ts';

export default definePlugin({
  id: 'tools.resolve',
  description: 'The tool resolve: applies or discards what a tool has shown before it did it.',
  requires: ['tools'],
  setup(ctx) {
    const pending = createPendingChanges();
    ctx.contribute(pendingChanges, pending);
    ctx.contribute(tools, resolveTool(pending));
  },
});
