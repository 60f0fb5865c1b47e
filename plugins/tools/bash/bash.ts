import { defineTool, realPath, resolvePath } from 'kern/contracts';
import { z } from 'zod';
import { type BashDetails, runCommand } from './run.ts';

const parameters = z.object({
  command: z.string().min(1),
  timeout: z.number().min(1).max(3600).describe('Seconds; default 300').optional(),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});

export const bash = defineTool<z.infer<typeof parameters>, BashDetails>({
  name: 'bash',
  description:
    'Runs a command in bash; answers with its output (stdout and stderr together) and how it ended. Of a long output the last 2000 lines or 50 KB are shown, and the file that has all of it. Every call is a new shell: cd and variables do not last. stdin is empty. What is started with & goes on after the call.',
  parameters,
  executionMode: 'sequential',
  effects: ({ command, cwd }, where) => [
    { kind: 'run', command, cwd: realPath(resolvePath(cwd ?? '.', where.cwd)), shell: 'bash' },
  ],
  prepareArguments: otherNames,
  execute: (_id, args, signal, onUpdate, context) => runCommand(args, signal, onUpdate, context),
});

/** `cmd`, as other agents' tools call it. */
function otherNames(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || 'command' in args) return args;
  return 'cmd' in args ? { ...args, command: args.cmd } : args;
}
