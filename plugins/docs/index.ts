import { commands } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { docs, docsGenerate } from './commands.ts';

export default definePlugin({
  id: 'docs',
  description: 'The pages you read with `kern docs`, and what makes their tables.',
  setup(ctx) {
    ctx.contribute(commands, docs);
    ctx.contribute(commands, docsGenerate);
  },
});
