import { defineTool, errorResult, type Jobs, realPath, resolvePath, shells } from 'kern/contracts';
import type { SessionHandle } from 'kern/plugin';
import { z } from 'zod';
import { powershellArguments } from './arguments.ts';

const parameters = z.object({
  command: z.string().min(1),
  timeout: z.number().min(1).max(3600).describe('Seconds; default 300').optional(),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  description: z.string().describe('In five words').optional(),
  head: z.int().positive().describe('First lines only').optional(),
  tail: z.int().positive().optional(),
  background: z.boolean().optional(),
});

const defaultTimeout = 300;

export interface PowershellGround {
  /** The program. */
  readonly program: string;
  readonly jobs: () => Promise<Jobs>;
  readonly session: () => SessionHandle | undefined;
}

/** The tool powershell. Every call is a new one: nothing lasts from one to the next. */
export function createPowershell({ program, jobs, session }: PowershellGround) {
  return defineTool<z.infer<typeof parameters>, shells.ShellDetails>({
    name: 'powershell',
    description:
      'Runs a command in PowerShell; answers with its output (all streams together) and how it ended. Of a long output the last 2000 lines or 50 KB are shown, and where all of it is. Every call is a new PowerShell. stdin is empty. background: it runs on, and you are told when it ends.',
    parameters,
    executionMode: 'sequential',
    effects: ({ command, cwd, env }, where) => [
      {
        kind: 'run',
        command: assigned(command, env),
        cwd: realPath(resolvePath(cwd ?? '.', where.cwd)),
        shell: 'powershell',
      },
    ],
    async execute(_id, { command, timeout, cwd, env, head, tail, background }, signal, onUpdate, context) {
      if (command.includes('\0')) return errorResult('The command has a NUL in it, which no shell takes.');
      const folder = resolvePath(cwd ?? '.', context.where.cwd);
      const args = powershellArguments(command);
      if (background === true) {
        const options = {
          cwd: folder,
          owner: 'tools.powershell',
          ...(env === undefined ? {} : { env }),
          ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
        };
        const { sessionId } = context;
        return shells.startBackground(
          {
            cwd: folder,
            session: session(),
            notices: [],
            start: async (log) =>
              (await jobs()).start({ command: program, args, options, label: command, sessionId, log }),
          },
          context,
        );
      }
      return shells.runShell(
        {
          label: command,
          cwd: folder,
          ...(env === undefined ? {} : { env }),
          timeout: timeout ?? defaultTimeout,
          wanted: { head, tail },
          start: (options) => context.spawn(program, args, options).result,
        },
        signal,
        onUpdate,
        context,
      );
    },
  });
}

/** The command as a line that sets its variables itself: whoever allows `git status` has not allowed another PATH. */
function assigned(command: string, env: Readonly<Record<string, string>> = {}): string {
  const words = Object.entries(env).map(([name, value]) => `$env:${name} = '${value.replaceAll("'", "''")}';`);
  return [...words, command].join(' ');
}
