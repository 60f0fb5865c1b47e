import { defineTool, realPath, resolvePath, type shells } from 'kern/contracts';
import { z } from 'zod';
import { type BashGround, createBashShell } from './run-command.ts';

const parameters = z.object({
  command: z.string().min(1),
  timeout: z.number().min(1).max(3600).describe('Seconds; default 300').optional(),
  cwd: z.string().describe('For this call').optional(),
  env: z.record(z.string(), z.string()).optional(),
  description: z.string().describe('In five words').optional(),
  head: z.int().positive().describe('First lines only').optional(),
  tail: z.int().positive().optional(),
  background: z.boolean().optional(),
  pty: z.boolean().describe('In a terminal').optional(),
});

type Arguments = z.infer<typeof parameters>;

/** The tool bash, and how to let go of what it holds. */
export function createBash(ground: BashGround) {
  const shell = createBashShell(ground);
  const tool = defineTool<Arguments, shells.ShellDetails>({
    name: 'bash',
    description:
      'Runs a command in bash; answers with its output (stdout and stderr together) and how it ended. Of a long output the last 2000 lines or 50 KB are shown, and where all of it is. The folder and exported variables last to the next call. stdin is empty. background: it runs on, and you are told when it ends.',
    parameters,
    executionMode: 'sequential',
    effects: ({ command, cwd, env }, where) => [
      {
        kind: 'run',
        command: assigned(command, env),
        cwd: realPath(
          cwd === undefined ? shell.folderOf(ground.session()?.id, where.cwd) : resolvePath(cwd, where.cwd),
        ),
        shell: 'bash',
      },
    ],
    prepareArguments: otherNames,
    execute: (_id, args, signal, onUpdate, context) => shell.run(args, signal, onUpdate, context),
  });
  return { tool, close: shell.close };
}

/** The command as a line that sets its variables itself: whoever allows `git status` has not allowed another PATH. */
function assigned(command: string, env: Readonly<Record<string, string>> = {}): string {
  const words = Object.entries(env).map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'`);
  return [...words, command].join(' ');
}

/** As other agents' tools call them: `cmd`, `run_in_background`. */
function otherNames(args: unknown): unknown {
  if (typeof args !== 'object' || args === null) return args;
  const renamed: Record<string, unknown> = { ...args };
  if (!('command' in args) && 'cmd' in args) renamed.command = args.cmd;
  if (!('background' in args) && 'run_in_background' in args) renamed.background = args.run_in_background;
  return renamed;
}
