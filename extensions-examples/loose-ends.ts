// Data that belongs to a session: it is in its file, follows its branches, outlives a compaction, and may hold up a switch.
import { compactionPins, sessionBeforeSwitch, tools } from 'kern/contracts';
import { type Context, definePlugin } from 'kern/plugin';
import { z } from 'zod';

const end = z.object({ text: z.string(), isDone: z.boolean() });

export default definePlugin({
  id: 'loose-ends',
  setup: (ctx) => {
    ctx.contribute(tools, {
      name: 'loose_end',
      description: 'Notes something that is still to be done before the work is over, or that it is done.',
      parameters: z.object({ text: z.string(), isDone: z.boolean().default(false) }),
      effects: () => [],
      execute: async (_id, { text, isDone }) => {
        ctx.session.appendEntry('loose-ends', { text, isDone });
        return { content: [{ type: 'text', text: open(ctx).join('\n') || 'Nothing is open.' }] };
      },
    });
    ctx.tap(compactionPins, () => ({ id: 'loose-ends', title: 'Still to be done', text: open(ctx).join('\n') }));
    ctx.tap(sessionBeforeSwitch, () => {
      const left = open(ctx);
      return left.length === 0 ? undefined : { refuse: `Still to be done: ${left.join(', ')}.` };
    });
  },
});

/** What is open in this branch of the session; the latest word on a thing counts. */
function open(ctx: Context<undefined>): readonly string[] {
  const states = new Map<string, boolean>();
  for (const { data } of ctx.session.entriesOf('loose-ends')) {
    const { text, isDone } = end.parse(data);
    states.set(text, isDone);
  }
  return [...states].flatMap(([text, isDone]) => (isDone ? [] : [text]));
}
