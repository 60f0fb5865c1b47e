import { lazySettings } from 'kern/plugin';
import { z } from 'zod';

const promptSchema = () =>
  z.strictObject({
    maxFileBytes: z
      .int()
      .min(0)
      .default(40_000)
      .describe('How much of one file of instructions is told to the model; of the rest it is told where it stands'),
    maxBytes: z
      .int()
      .min(0)
      .default(120_000)
      .describe('How much of all of them together is told; those nearest to the working directory go first'),
  });
export type PromptSettings = z.infer<ReturnType<typeof promptSchema>>;

/** The settings under `plugins.prompt`. */
export const promptSettings = lazySettings<PromptSettings>({ maxFileBytes: 40_000, maxBytes: 120_000 }, promptSchema);
