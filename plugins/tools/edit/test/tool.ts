import type { PendingChanges, ToolResult } from 'kern/contracts';
import { createFileStore } from '../../file-store.ts';
import type { TestContext } from '../../test/context.ts';
import { editTool } from '../edit.ts';
import { createMisses } from '../misses.ts';
import type { Format } from '../request.ts';
import type { EditDetails } from '../result.ts';
import { createSeenFiles, type Run } from '../seen.ts';

/** The tool with a memory of its own, and what a session has seen. */
export function testTool({
  format = 'replace',
  maxBytes = 1_000_000,
  pending,
  files = createFileStore(),
}: {
  readonly format?: Format;
  readonly maxBytes?: number;
  readonly pending?: PendingChanges;
  readonly files?: ReturnType<typeof createFileStore>;
} = {}) {
  const seen = createSeenFiles();
  const misses = createMisses();
  const tool = editTool({
    format,
    preview: pending !== undefined,
    host: async () => ({ files, maxBytes, session: 's1', seen, misses, pending }),
  });
  return {
    tool,
    shown: (path: string, ...runs: readonly Run[]) => {
      for (const run of runs) seen.add('s1', path, run);
    },
    call: (
      context: TestContext,
      args: Readonly<Record<string, unknown>>,
      signal = new AbortController().signal,
    ): Promise<ToolResult<EditDetails>> => tool.execute('c1', args, signal, () => undefined, context),
  };
}
