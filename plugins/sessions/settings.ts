import { lazySettings } from 'kern/plugin';
import { z } from 'zod';

/** The settings under `plugins.sessions`. */
const sessionSchema = () =>
  z.object({
    fsync: z
      .enum(['always', 'second', 'never'])
      .default('second')
      .describe(
        'When entries are forced to the disk itself: always, before each is acknowledged; second, at most a second later, so that only a power loss can take them; never leaves it to the system',
      ),
    dir: z
      .string()
      .min(1)
      .optional()
      .describe('The folder of all sessions, instead of one for each working directory under KERN_HOME/sessions'),
    storage: z
      .string()
      .min(1)
      .default('file')
      .describe('Where sessions lie: file, memory (until kern ends), or what a plugin supplies'),
    inlineLimit: z
      .int()
      .min(1_024)
      .default(500_000)
      .describe('Images and texts of more characters than this are kept in KERN_HOME/blobs, beside the session file'),
  });

export type SessionSettings = z.infer<ReturnType<typeof sessionSchema>>;

export const sessionSettings = lazySettings<SessionSettings>(
  { fsync: 'second', dir: undefined, storage: 'file', inlineLimit: 500_000 },
  sessionSchema,
);

/** What a running session goes by: plain, and the same object over reloads, so that an edit reaches what is open. */
export interface LiveSettings {
  fsync: SessionSettings['fsync'];
  inlineLimit: number;
}
