import { lazySettings } from 'kern/plugin';
import { z } from 'zod';

const slashSchema = () =>
  z.strictObject({
    shellTimeout: z
      .number()
      .min(1)
      .max(3600)
      .default(60)
      .describe('Seconds that a shell line of a command or a skill may take'),
  });
export type SlashSettings = z.infer<ReturnType<typeof slashSchema>>;

/** The settings under `plugins.slash`. */
export const slashSettings = lazySettings<SlashSettings>({ shellTimeout: 60 }, slashSchema);
