// A front of its own: `kern --mode count "task"` runs the task, and prints what it took instead of what was said.
import { modes } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

export default definePlugin({
  id: 'count-mode',
  setup: (ctx) =>
    ctx.contribute(modes, {
      id: 'count',
      summary: 'Prints only what the run took.',
      async run({ session, prompts, stdout, stderr, signal }) {
        signal.addEventListener('abort', () => session.abort(), { once: true });
        let calls = 0;
        session.subscribe((event) => {
          if (event.type === 'tool_execution_end') calls += 1;
        });
        for (const prompt of prompts) {
          const { status, turns, usage, error } = await session.prompt(prompt);
          stdout.write(`${turns} turns, ${calls} calls, ${usage.totalTokens} tokens\n`);
          if (status === 'ok') continue;
          stderr.write(`count: ${error?.message ?? status}\n`);
          return 1;
        }
        return 0;
      },
    }),
});
