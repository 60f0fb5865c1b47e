import { z } from 'zod';

/** The settings under `plugins.tools.bash`. */
export const bashSettings = z.object({
  shellPath: z.string().min(1).optional().describe('The shell that runs commands; default: bash, else sh'),
  shellCommandPrefix: z.string().optional().describe('A line that runs before every command'),
  snapshot: z.boolean().default(true).describe("Whether commands have the functions and aliases of the user's shell"),
  normalize: z
    .boolean()
    .default(true)
    .describe('Whether a last `| head` or `| tail` is done by the tool, so that exit code and whole output are kept'),
  interceptor: z
    .boolean()
    .default(false)
    .describe('Whether commands for which there is a better tool are answered with its name'),
});

export type BashSettings = z.infer<typeof bashSettings>;
