// The one that listens. What comes over the bus is anybody's word: it is looked at before it is used.
import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

const measured = z.object({ degrees: z.number() });

export default definePlugin({
  id: 'diary',
  setup(ctx) {
    const warmest = ctx.state('warmest', z.number().optional(), () => undefined);
    ctx.events.on('thermometer/measured', (payload) => {
      const { success, data } = measured.safeParse(payload);
      if (success) warmest.value = Math.max(warmest.value ?? data.degrees, data.degrees);
    });
    ctx.contribute(tools, {
      name: 'warmest',
      description: 'Says how warm it was at most.',
      parameters: z.object({}),
      effects: () => [],
      execute: async () => ({ content: [{ type: 'text', text: `${warmest.value ?? 'unknown'}` }] }),
    });
  },
});
