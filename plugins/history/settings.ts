import { z } from 'zod';

export const historySettings = z.strictObject({
  enabled: z.boolean().default(true).meta({ description: 'Whether prompts are remembered' }),
  maxEntries: z
    .number()
    .int()
    .positive()
    .max(1_000_000)
    .default(10_000)
    .meta({ description: 'How many prompts are remembered; the oldest are forgotten' }),
});
export type HistorySettings = z.infer<typeof historySettings>;
