import { tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { read } from './read.ts';

export default definePlugin({
  id: 'tools.read',
  description: 'The tool read: a file, a part of one, an image, a folder.',
  requires: ['tools', 'processes'],
  setup: (ctx) => ctx.contribute(tools, read),
});
