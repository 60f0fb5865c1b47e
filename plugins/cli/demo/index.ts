import { type Command, commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

const demo: Command = {
  path: ['demo'],
  group: 'Work',
  summary: 'See what kern does, without a model: an agent fixes a failing test, then writes itself a tool.',
  details:
    'The replies of the model come from a file; the session, the tools, the tests and the reload are real.\nIt works in a temporary folder and needs no network.',
  examples: [['Watch it', 'kern demo']],
  json: true,
  boots: 'builtins',
  run: async (ctx, args, host) => (await import('./demo.ts')).demo(ctx, args, host),
};

/** `kern demo`: the first thing that a stranger sees. */
export default definePlugin({ id: 'cli.demo', setup: (ctx) => ctx.contribute(commands, demo) });
