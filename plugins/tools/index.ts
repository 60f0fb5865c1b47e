import { join } from 'node:path';
import {
  artifactStore,
  fileStore,
  knownFiles,
  pendingChanges,
  toolCall,
  toolEnd,
  toolInput,
  toolResult,
  toolStart,
  tools,
  toolUpdate,
} from 'kern/contracts';
import { type Context, codeOf, definePlugin } from 'kern/plugin';
import { createArtifactStore } from './artifact-store.ts';
import { createFileStore } from './file-store.ts';
import { createFileMarks } from './known-files.ts';

export default definePlugin({
  id: 'tools',
  description: 'What a tool is, how a call is judged and run, and the files that tools share.',
  declares: [
    tools,
    toolInput,
    toolCall,
    toolResult,
    toolStart,
    toolUpdate,
    toolEnd,
    fileStore,
    knownFiles,
    pendingChanges,
    artifactStore,
  ],
  setup(ctx) {
    const { home } = ctx.where;
    const artifacts = createArtifactStore(() => join(home, 'cache'));
    ctx.contribute(fileStore, createFileStore({ cache: () => join(home, 'cache') }));
    ctx.contribute(artifactStore, artifacts);
    const marks = createFileMarks();
    ctx.contribute(knownFiles, { hasChanged: (path) => marks.hasChanged(sessionOf(ctx), path) });
    ctx.tap(toolCall, ({ tool, effects }) => {
      marks.before(sessionOf(ctx), tool, effects);
      return undefined;
    });
    ctx.tap(toolResult, ({ tool, result }) => {
      marks.after(sessionOf(ctx), tool, result);
      return undefined;
    });
    ctx.defer(() => artifacts.clear());
    ctx.onCrash(() => artifacts.clear());
  },
});

/** Where no session runs, as on the command line, what is known is nobody's. */
function sessionOf(ctx: Context): string {
  try {
    return ctx.session.id;
  } catch (error) {
    if (codeOf(error) !== 'no_session') throw error;
    return '';
  }
}
