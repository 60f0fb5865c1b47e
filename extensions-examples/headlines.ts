// Makes old words few in its own way: what the person said stays, the rest goes. Chosen by
// `plugins.agent.compaction.strategy: headlines`. And whoever compacts: PLAN.md is told again, word for word.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compactionPins, compactionStrategies } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

export default definePlugin({
  id: 'headlines',
  setup(ctx) {
    ctx.contribute(compactionStrategies, {
      id: 'headlines',
      summary: 'What the person said, and nothing else.',
      summarize: async ({ previousSummary, messages, turnPrefix }) => {
        const said = [...messages, ...turnPrefix]
          .filter(({ role }) => role === 'user')
          .flatMap(({ content }) => content.map((part) => ('text' in part ? `- ${part.text}` : '- (a picture)')));
        return { summary: [previousSummary ?? 'The person said:', ...said].join('\n') };
      },
    });
    ctx.tap(compactionPins, async () => {
      const text = await readFile(join(ctx.where.cwd, 'PLAN.md'), 'utf8').catch(() => undefined);
      return text === undefined ? undefined : { id: 'headlines.plan', title: 'The plan', text };
    });
  },
});
