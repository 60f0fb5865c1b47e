// State that survives reloads: edit this file while kern runs, and the count goes on.
import { toolEnd, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

export default definePlugin({
  id: 'tally',
  setup: (ctx) => {
    const calls = ctx.state('calls', z.record(z.string(), z.number()), (): Record<string, number> => ({}));
    ctx.tap(toolEnd, ({ toolName }) => {
      calls.value = { ...calls.value, [toolName]: (calls.value[toolName] ?? 0) + 1 };
    });
    ctx.contribute(tools, {
      name: 'tally',
      description: 'Says how often each tool was called.',
      parameters: z.object({}),
      effects: () => [],
      execute: async () => ({ content: [{ type: 'text', text: JSON.stringify(calls.value) }] }),
    });
  },
});
