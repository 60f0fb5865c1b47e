import {
  entryAppended,
  type SessionHeader,
  type SessionStore,
  sessions,
  sessionWriteFailed,
  sessionWriteRestored,
} from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { FileStore } from './file-store.ts';
import { MemoryStore } from './memory-store.ts';
import { sessionFile, sessionId } from './names.ts';

export default definePlugin({
  id: 'sessions',
  description: 'Keeps conversations: a file each, written as they go, or in memory.',
  declares: [sessions, entryAppended, sessionWriteFailed, sessionWriteRestored],
  setup(ctx) {
    ctx.contribute(sessions, {
      async create({ cwd, persist, report = () => {} }): Promise<SessionStore> {
        const header: SessionHeader = {
          type: 'session',
          version: 3,
          id: sessionId(),
          timestamp: new Date().toISOString(),
          cwd,
        };
        return persist
          ? new FileStore(sessionFile(ctx.where.home, cwd, header.timestamp, header.id), header, report)
          : new MemoryStore(header);
      },
    });
  },
});
