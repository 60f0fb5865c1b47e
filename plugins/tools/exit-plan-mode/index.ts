import { permissions, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { exitPlanMode } from './exit-plan-mode.ts';

export default definePlugin({
  id: 'tools.exit-plan-mode',
  description: 'The tool exit_plan_mode: the model shows that its plan is ready, and the person says yes or no.',
  requires: ['tools'],
  setup: (ctx) =>
    ctx.contribute(
      tools,
      exitPlanMode({
        ui: () => ctx.ui,
        async mode() {
          await ctx.use(permissions).load();
          return ctx.service(permissions).mode;
        },
      }),
    ),
});
