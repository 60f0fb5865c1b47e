import { definePlugin, processes } from 'kern/plugin';
import { createSupervisor } from './supervisor.ts';

export default definePlugin({
  id: 'processes',
  description: 'Starts everything that kern starts, limits it, and leaves nothing of it behind.',
  declares: [processes],
  setup(ctx) {
    const supervisor = createSupervisor(process.env);
    ctx.contribute(processes, supervisor);
    ctx.defer(() => supervisor.close());
    ctx.onCrash(() => supervisor.killAllNow());
  },
});
