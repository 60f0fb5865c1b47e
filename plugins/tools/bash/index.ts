import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { bash } from './bash.ts';

export default definePlugin({
  id: 'tools.bash',
  description: 'The tool bash: runs a command, and ends all of it when it takes too long or is given up.',
  requires: ['tools', 'processes'],
  setup: (ctx) => ctx.contribute(tools, bash),
});
