// Has the model go on until a check passes: what the check says is what it is told then. At most three times a run, and
// only where a check is set: `plugins: { until-green: { check: [npm, test] } }`.
import { agentBeforeEnd, processes } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { z } from 'zod';

export default definePlugin({
  id: 'until-green',
  config: z.object({ check: z.array(z.string()).default([]) }),
  setup(ctx) {
    ctx.tap(agentBeforeEnd, async ({ continued }) => {
      const [program, ...args] = ctx.config.check;
      if (program === undefined || continued >= 3) return undefined;
      await ctx.use(processes).load(ctx.signal);
      // It has its own time limit: the one of the hook stands still meanwhile.
      const check = ctx.spawn(program, args, { timeoutMs: 600_000 });
      const { exitCode, stdout, stderr } = await ctx.asking(check.result);
      return exitCode === 0 ? undefined : { goOn: `The check fails:\n${stdout}${stderr}` };
    });
  },
});
