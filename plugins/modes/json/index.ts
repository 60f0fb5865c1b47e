import { modes } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { json } from './json.ts';

export default definePlugin({
  id: 'modes.json',
  description: 'Writes every event of a run as one line of JSON.',
  setup: (ctx) => ctx.contribute(modes, json),
});
