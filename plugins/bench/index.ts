import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { bench } from './command.ts';

export default definePlugin({
  id: 'bench',
  description: 'How fast kern is, as ratios to what bare Node needs on the same machine.',
  setup: (ctx) => ctx.contribute(commands, bench),
});
