import { type SessionStorage, sessionImports, sessionSources, sessionStorages } from 'kern/contracts';
import { definePlugin, KernError } from 'kern/plugin';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { Imports } from './imports.ts';
import { ohMyPi, pi } from './pi.ts';

export default definePlugin({
  id: 'sessions.import',
  description: 'Takes over conversations of pi, oh-my-pi, Claude Code and Codex.',
  declares: [sessionSources, sessionImports],
  requires: ['sessions'],
  setup(ctx) {
    for (const source of [pi, ohMyPi, claude, codex]) ctx.contribute(sessionSources, source);
    const storage = async (): Promise<SessionStorage> => {
      const setting = ctx.setting('plugins.sessions.storage');
      const id = typeof setting === 'string' ? setting : 'file';
      const known = ctx.use(sessionStorages);
      await known.load(undefined, id);
      const entry = known.get(id);
      if (entry === undefined) throw new KernError('session_storage_unknown', `there is no session storage ${id}`);
      return entry.item;
    };
    ctx.contribute(sessionImports, new Imports({ ctx, storage }));
  },
});
