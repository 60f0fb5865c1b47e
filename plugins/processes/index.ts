import { keyVariables, modelProviders } from 'kern/contracts';
import { type Context, definePlugin, processes } from 'kern/plugin';
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
    passKeys: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Variables with keys of models or of search, such as OPENAI_API_KEY, that commands get all the same; for the aws program AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN',
      ),
  }),
  setup(ctx) {
    const { memory, processes: count, passKeys } = ctx.config;
    const limits = {
      memoryBytes: memory === undefined ? mostOfTheMemory() : memory * 1024 * 1024,
      processes: count,
    };
    const supervisor = createSupervisor(process.env, limits, () => ({ passed: passKeys, held: heldBy(ctx) }));
    ctx.contribute(processes, supervisor);
    ctx.contribute(jobs, createJobs(supervisor));
    ctx.defer(() => supervisor.close());
    ctx.onCrash(() => supervisor.killAllNow());
  },
});

/** The variables with the keys of models, as far as their providers are awake: one that sleeps has taken no key. */
function heldBy(ctx: Pick<Context, 'use'>): readonly string[] {
  return ctx
    .use(modelProviders)
    .items()
    .flatMap((provider) => keyVariables([...(provider.keys?.() ?? []), ...(provider.secrets?.() ?? [])]));
}
