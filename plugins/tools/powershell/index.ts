import { jobs, shells, tools } from 'kern/contracts';
import { type Context, codeOf, definePlugin, type SessionHandle } from 'kern/plugin';

const findProgram = () =>
  ['pwsh', ...(process.platform === 'win32' ? ['powershell'] : [])]
    .map((name) => shells.programOnPath(name))
    .find((path) => path !== undefined);

export default definePlugin({
  id: 'tools.powershell',
  description: 'The tool powershell: runs a command in PowerShell, where there is one.',
  // Without a program nothing is started.
  requires: ['tools', ...(findProgram() === undefined ? [] : ['processes'])],
  async setup(ctx) {
    const program = findProgram();
    if (program === undefined) return;
    const { createPowershell } = await import('./powershell.ts');
    // Where there is a job, there is the tool to look at it.
    const jobsAwake = async () => {
      await shells.wakeTool(ctx, 'jobs');
      return ctx.service(jobs);
    };
    ctx.contribute(tools, createPowershell({ program, jobs: jobsAwake, session: () => sessionOf(ctx) }));
  },
});

/** `kern tool call` runs in no session. */
function sessionOf(ctx: Context<undefined>): SessionHandle | undefined {
  try {
    return ctx.session;
  } catch (error) {
    if (codeOf(error) === 'no_session') return undefined;
    throw error;
  }
}
