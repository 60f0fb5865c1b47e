import { defineTool, realPath, resolvePath } from 'kern/contracts';
import { z } from 'zod';
import type { BashDetails } from './run.ts';

const parameters = z.object({
  command: z.string().min(1),
  timeout: z.number().min(1).max(3600).describe('Seconds; default 300').optional(),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});

export const bash = defineTool<z.infer<typeof parameters>, BashDetails>({
  name: 'bash',
  description:
    'Runs a bash command. Answers with its output (the last 2000 lines or 50 KB) and how it ended. stdin is empty; what runs in the background with & goes on.',
  parameters,
  executionMode: 'sequential',
  effects: ({ command, cwd }, where) => [
    { kind: 'run', command, cwd: realPath(resolvePath(cwd ?? '.', where.cwd)), shell: 'bash' },
  ],
  prepareArguments: otherNames,
  async execute(_id, args, signal, onUpdate, context) {
    const { runCommand } = await import('./run.ts');
    return runCommand(args, signal, onUpdate, context);
  },
});

/** `cmd`, as other agents' tools call it. */
function otherNames(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || 'command' in args) return args;
  return 'cmd' in args ? { ...args, command: args.cmd } : args;
}
