import { jobs, tools } from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { createJobsTool } from './jobs.ts';

export default definePlugin({
  id: 'tools.jobs',
  description: 'The tool jobs: commands in the background, their output and their end.',
  requires: ['tools', 'processes'],
  setup: (ctx) =>
    ctx.contribute(
      tools,
      createJobsTool(() => ctx.service(jobs)),
    ),
});
