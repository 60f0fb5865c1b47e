import { definePlugin } from 'kern/plugin';
import { z } from 'zod';
import { customToolMaker } from './contract.ts';

export default definePlugin({
  id: 'custom-tools',
  description: 'Tools that are files: modules, and programs that describe themselves.',
  declares: [customToolMaker],
  config: z.object({
    timeoutMs: z.int().positive().default(120_000).describe('How long one call of a program may take'),
    describeMs: z.int().positive().default(5_000).describe('How long a program may take to describe itself'),
  }),
  setup(ctx) {
    ctx.contribute(customToolMaker, {
      ofModule: (exports, origin) => ({
        id: idOf(origin.name),
        requires: typeof exports === 'function' ? ['compat'] : [],
        // At the start, since only then what it requires is there, where both come with one change.
        setup: (scope) => scope.onStart(async () => (await import('./module.ts')).startModule(scope, exports, origin)),
      }),
      async ofProgram(origin) {
        const { describe } = await import('./describe.ts');
        const description = await describe(ctx, origin, ctx.config.describeMs);
        const { programTool } = await import('./program.ts');
        const { offer } = await import('./offer.ts');
        const { timeoutMs } = ctx.config;
        return {
          id: idOf(origin.name),
          setup: (scope) => offer(scope, [programTool(scope, origin, { timeoutMs, ...description })], origin),
        };
      },
    });
  },
});

/** No built-in is called so, now or later. */
function idOf(name: string): string {
  return `tool.${name.replace(/[^a-zA-Z0-9_-]+/g, '-').slice(0, 48)}`;
}
