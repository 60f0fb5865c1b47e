import path from 'node:path';
import { auth, flags, modelObservers, redactText } from 'kern/contracts';
import { type Context, definePlugin, messageOf } from 'kern/plugin';
import type { Recording } from './recording.ts';

/** What is being recorded. It outlives the plugin's code. */
interface Current {
  recording?: Recording | undefined;
  expects?: boolean;
}

export default definePlugin({
  id: 'models.record',
  description: 'Keeps what a model answers as a script that plays it again: --record <file>',
  requires: ['models', 'models.auth'],
  async setup(ctx) {
    const current = await ctx.keep<Current>('current', '1', () => ({ value: {}, release: () => {} }));
    ctx.contribute(flags, {
      name: 'record',
      kind: 'string',
      value: '<file>',
      summary: 'Keep what the model answers in this file, as a script for --model script/<file>; secrets are left out.',
      apply: async (file) => {
        current.recording = await begin(ctx, current, String(file));
      },
    });
    ctx.contribute(flags, {
      name: 'record-expect',
      kind: 'boolean',
      summary: 'With --record: each turn says which results of tools it expects.',
      apply: () => {
        current.expects = true;
      },
    });
    ctx.contribute(modelObservers, {
      id: 'record',
      begin(request) {
        const { recording } = current;
        if (recording === undefined) return undefined;
        const { provider, model } = request.model;
        if (provider !== 'script' || path.resolve(ctx.where.cwd, model) !== recording.file)
          return recording.begin(request);
        current.recording = undefined;
        ctx.log.warn(`${recording.file} is being played, and so it is not recorded`);
        return undefined;
      },
    });
    ctx.defer(() => current.recording?.flush());
  },
});

async function begin(ctx: Context, current: Current, shown: string): Promise<Recording> {
  const file = path.resolve(ctx.where.cwd, shown);
  const [{ assertFree }, { Recording }] = await Promise.all([import('./place.ts'), import('./recording.ts')]);
  assertFree(file, shown);
  return new Recording({
    file,
    shown,
    redact: (text) => (ctx.use(auth).items().length > 0 ? ctx.service(auth).redact(text) : redactText(text)),
    get expects() {
      return current.expects === true;
    },
    failed: (error) => ctx.log.warn(`the recording ${file} cannot be written: ${messageOf(error)}`),
  });
}
