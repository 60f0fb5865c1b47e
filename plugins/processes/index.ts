import { definePlugin, processes } from 'kern/plugin';
import { z } from 'zod';
import { bashOperations, jobs } from './contract.ts';
import { createJobs } from './jobs.ts';
import { defaultProcesses } from './limits.ts';
import { mostOfTheMemory } from './memory.ts';
import { createSupervisor } from './supervisor.ts';

export default definePlugin({
  id: 'processes',
  description: 'Starts everything that kern starts, limits it, and leaves nothing of it behind.',
  declares: [processes, jobs, bashOperations],
  config: z.object({
    memory: z
      .int()
      .positive()
      .optional()
      .describe('MB that all processes of one command may hold together; default: nine tenths of the machine'),
    processes: z.int().positive().default(defaultProcesses).describe('Processes that one command may have at a time'),
  }),
  setup(ctx) {
    const { memory, processes: count } = ctx.config;
    const supervisor = createSupervisor(process.env, {
      memoryBytes: memory === undefined ? mostOfTheMemory() : memory * 1024 * 1024,
      processes: count,
    });
    ctx.contribute(processes, supervisor);
    ctx.contribute(jobs, createJobs(supervisor));
    ctx.defer(() => supervisor.close());
    ctx.onCrash(() => supervisor.killAllNow());
  },
});
