import { entryAppended, sessionStorages, sessions, sessionWriteFailed, sessionWriteRestored } from 'kern/contracts';
import { definePlugin, KernError } from 'kern/plugin';
import { Blobs } from './blobs.ts';
import { Breadcrumbs } from './breadcrumbs.ts';
import { fileStorage } from './file-storage.ts';
import { type HeldLocks, releaseAll } from './lock.ts';
import { type MemoryFile, memoryStorage } from './memory-storage.ts';
import { SessionFiles } from './service.ts';
import { type LiveSettings, type SessionSettings, sessionSettings } from './settings.ts';
import type { Borrowed } from './stores.ts';
import { terminal } from './terminal.ts';

/** What open sessions share, also over a reload of this plugin. */
interface Live {
  readonly settings: LiveSettings;
  readonly locks: HeldLocks;
  readonly memory: Map<string, MemoryFile>;
}

export default definePlugin<SessionSettings>({
  id: 'sessions',
  description: 'Keeps conversations: a file each, written as they go, or in memory.',
  declares: [sessions, sessionStorages, entryAppended, sessionWriteFailed, sessionWriteRestored],
  config: sessionSettings,
  async setup(ctx) {
    const { fsync, inlineLimit, dir, storage } = ctx.config;
    const live = await ctx.keep<Live>('live', '1', () => ({
      value: { settings: { fsync, inlineLimit }, locks: new Map(), memory: new Map() },
      release: () => {},
    }));
    const storages = ctx.use(sessionStorages);
    const borrow = async (): Promise<Borrowed> => {
      if (storages.get(storage) === undefined) await storages.load(undefined, storage);
      const entry = storages.get(storage);
      if (entry === undefined) {
        throw new KernError('session_storage_unknown', `there is no session storage ${storage}`, {
          hint: `plugins.sessions.storage takes ${storages
            .items()
            .map(({ id }) => id)
            .join(', ')}`,
        });
      }
      // Ours are this plugin's own, and outlive its revision; a stranger's stays loaded as long as it is used.
      if (entry.origin.plugin === ctx.id) return { storage: entry.item, release: () => {} };
      const held = ctx.hold(entry);
      return { storage: entry.item, release: () => held.dispose() };
    };
    const files = new SessionFiles({
      home: ctx.where.home,
      dir,
      live: live.settings,
      blobs: new Blobs(ctx.where.home),
      crumbs: new Breadcrumbs(ctx.where.home, () => terminal(process.env)),
      borrow,
    });
    ctx.contribute(sessionStorages, fileStorage(live.locks));
    ctx.contribute(sessionStorages, memoryStorage(live.memory));
    ctx.contribute(sessions, files);
    // Open sessions go by it from their next line on.
    ctx.onStart(() => void Object.assign(live.settings, { fsync, inlineLimit }));
    ctx.onCrash(() => releaseAll(live.locks));
  },
});
