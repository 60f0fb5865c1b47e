// Two extensions that talk: neither imports the other, and each may be reloaded or be missing. Names of events begin with
// the id of the plugin that sends them.
import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

export default definePlugin({
  id: 'thermometer',
  setup: (ctx) =>
    ctx.contribute(tools, {
      name: 'measure',
      description: 'Notes a temperature.',
      parameters: z.object({ degrees: z.number() }),
      effects: () => [],
      async execute(_id, { degrees }) {
        ctx.events.emit('thermometer/measured', { degrees });
        return { content: [{ type: 'text', text: `${degrees} degrees` }] };
      },
    }),
});
