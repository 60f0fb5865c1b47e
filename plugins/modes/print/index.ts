import { modes } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { print } from './print.ts';

export default definePlugin({
  id: 'modes.print',
  description: 'Writes the answer to stdout, and what is being done to stderr.',
  setup: (ctx) => ctx.contribute(modes, print),
});
