import { type AgentSession, agentSessions, permissions } from 'kern/contracts';
import { type Context, codeOf } from 'kern/plugin';
import type { Scene } from './occurrence.ts';

/** kern's modes as hooks of Claude Code know them. */
const modes: Readonly<Record<string, string>> = {
  plan: 'plan',
  ask: 'default',
  edits: 'acceptEdits',
  all: 'bypassPermissions',
};

/** Where this runs: in a session, or, as on the command line, in none. */
export function sceneOf(ctx: Context, sessionId = sessionIdOf(ctx) ?? ''): Scene {
  const session = sessionBy(ctx, sessionId);
  const { cwd, root } = ctx.where;
  return {
    sessionId,
    file: session?.file,
    cwd,
    root,
    permissionMode: modes[modeOf(ctx)] ?? 'default',
    model: session?.currentModel.id,
    version: '1',
  };
}

export function sessionIdOf(ctx: Context): string | undefined {
  try {
    return ctx.session.id;
  } catch (error) {
    if (codeOf(error) === 'no_session' || codeOf(error) === 'stale_session') return undefined;
    throw error;
  }
}

export function sessionBy(ctx: Context, id: string): AgentSession | undefined {
  try {
    return ctx
      .service(agentSessions)
      .open()
      .find((session) => session.id === id);
  } catch (error) {
    if (codeOf(error) === 'service_missing') return undefined; // nobody has conversations here
    throw error;
  }
}

function modeOf(ctx: Context): string {
  try {
    return ctx.service(permissions).mode;
  } catch {
    return 'ask'; // without a keeper, or with a setting that cannot be read, every call is refused anyway
  }
}
