import { bashOperations, cleanEnvironment, jobs, processes, shells, tools } from 'kern/contracts';
import { type Context, codeOf, definePlugin, type SessionHandle } from 'kern/plugin';
import { createBash } from './bash.ts';
import { type BashSettings, bashSettings } from './settings.ts';
import { shellStates } from './shell-state.ts';

export default definePlugin<BashSettings>({
  id: 'tools.bash',
  description: 'The tool bash: runs a command, and ends all of it when it takes too long or is given up.',
  requires: ['tools', 'processes'],
  config: bashSettings,
  setup(ctx) {
    const { tool, close } = createBash({
      settings: ctx.config,
      // Where there is a job, there is the tool to look at it.
      async jobs() {
        await shells.wakeTool(ctx, 'jobs');
        return ctx.service(jobs);
      },
      spawn: ctx.spawn,
      session: () => sessionOf(ctx),
      hasTool: (name) => ctx.use(tools).get(name) !== undefined,
      async operations() {
        await ctx.use(bashOperations).load();
        return ctx.use(bashOperations).items()[0];
      },
      environment: () => ctx.service(processes).environment?.() ?? cleanEnvironment(process.env),
      states: ctx.state('shells', shellStates, () => ({})),
    });
    ctx.contribute(tools, tool);
    ctx.defer(close);
    ctx.onCrash(close);
  },
});

/** `kern tool call` runs in no session. */
function sessionOf(ctx: Context<BashSettings>): SessionHandle | undefined {
  try {
    return ctx.session;
  } catch (error) {
    if (codeOf(error) === 'no_session') return undefined;
    throw error;
  }
}
