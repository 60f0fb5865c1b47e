import { join } from 'node:path';
import {
  artifactStore,
  fileStore,
  pendingChanges,
  toolCall,
  toolEnd,
  toolInput,
  toolResult,
  toolStart,
  tools,
  toolUpdate,
} from 'kern/contracts';
import { definePlugin } from 'kern/plugin';
import { createArtifactStore } from './artifact-store.ts';
import { createFileStore } from './file-store.ts';

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
    pendingChanges,
    artifactStore,
  ],
  setup(ctx) {
    const { home } = ctx.where;
    const artifacts = createArtifactStore(() => join(home, 'cache'));
    ctx.contribute(fileStore, createFileStore({ cache: () => join(home, 'cache') }));
    ctx.contribute(artifactStore, artifacts);
    ctx.defer(() => artifacts.clear());
    ctx.onCrash(() => artifacts.clear());
  },
});
