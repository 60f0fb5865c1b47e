import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  entryAppended,
  type NewEntry,
  type SessionEntry,
  type SessionHeader,
  type SessionStore,
  sessions,
  sessionWriteFailed,
  sessionWriteRestored,
} from 'kern/contracts';
import { definePlugin } from 'kern/plugin';

/**
 * The smallest store that keeps the promises of the contract: entries in memory, and with `persist` one line each in
 * `session.jsonl` of the working directory, acknowledged when it is written. A line that cannot be written never is.
 */
export const fakeSessions = definePlugin({
  id: 'sessions',
  declares: [sessions, entryAppended, sessionWriteFailed, sessionWriteRestored],
  setup(ctx) {
    let sequence = 0;
    ctx.contribute(sessions, {
      create: async ({ cwd, persist, report }): Promise<SessionStore> => {
        sequence += 1;
        const header: SessionHeader = {
          type: 'session',
          version: 3,
          id: `s${sequence}`,
          timestamp: new Date(0).toISOString(),
          cwd,
        };
        const file = persist ? join(cwd, 'session.jsonl') : undefined;
        const entries: SessionEntry[] = [];
        let writing: Promise<unknown> = Promise.resolve();
        const write = async (entry: SessionEntry): Promise<SessionEntry> => {
          if (file !== undefined) await appendFile(file, `${JSON.stringify(entry)}\n`);
          return entry;
        };
        return {
          header,
          file,
          entries: () => entries,
          append: (entry: NewEntry) => {
            const id = String(entries.length + 1);
            const placed = {
              ...entry,
              id,
              parentId: entries.at(-1)?.id ?? null,
              timestamp: header.timestamp,
            } as SessionEntry;
            entries.push(placed);
            const written = writing.then(() => write(placed));
            writing = written.catch((error) =>
              report?.({ type: 'write-failed', error: String(error), pending: entries.length }),
            );
            return written;
          },
          flush: async () => void (await writing),
          close: async () => void (await writing),
        };
      },
    });
  },
});
