import { jobs, shells, tools } from 'kern/contracts';
import { type Context, codeOf, definePlugin, type SessionHandle } from 'kern/plugin';
import { createPowershell } from './powershell.ts';

export default definePlugin({
  id: 'tools.powershell',
  description: 'The tool powershell: runs a command in PowerShell, where there is one.',
  requires: ['tools', 'processes'],
  setup(ctx) {
    const program = ['pwsh', ...(process.platform === 'win32' ? ['powershell'] : [])]
      .map((name) => shells.programOnPath(name))
      .find((path) => path !== undefined);
    if (program === undefined) return;
    ctx.contribute(tools, createPowershell({ program, jobs: () => ctx.service(jobs), session: () => sessionOf(ctx) }));
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
