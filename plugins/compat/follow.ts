import { type AgentEvent, type AgentSession, agentEnd, sessionShutdown, sessionStart } from 'kern/contracts';
import { pluginChanged } from 'kern/plugin';
import { z } from 'zod';
import type { Extension } from './extension.ts';
import { resourcesOf } from './resources.ts';

/** Handed from a revision of an extension to the next: it takes leave before the new one begins. */
interface Baton {
  leave: (() => Promise<void>) | undefined;
}

/** Signals of the runs that go on, by session. */
export class Runs {
  readonly #controllers = new Map<AgentSession, AbortController>();
  readonly #settling = new Set<AgentSession>();

  signalOf(session: AgentSession): AbortSignal | undefined {
    return this.#controllers.get(session)?.signal;
  }

  began(session: AgentSession): void {
    this.#settling.delete(session);
    if (!this.#controllers.has(session)) this.#controllers.set(session, new AbortController());
  }

  aborted(session: AgentSession): void {
    this.#controllers.get(session)?.abort();
  }

  /** While this is told, the run counts as over: what is sent now starts another. */
  over(session: AgentSession): void {
    this.#controllers.delete(session);
    this.#settling.add(session);
    setImmediate(() => this.#settling.delete(session));
  }

  isIdle(session: AgentSession): boolean {
    return this.#settling.has(session) || session.isIdle();
  }
}

/** `prepare` is called before a session is told. Tells an extension of sessions, from their beginning or from its own, to their end or to its own. */
export async function followSessions(extension: Extension, runs: Runs, prepare: () => Promise<void>): Promise<void> {
  const { ctx } = extension;
  const hasRun = ctx.state('compat.has-run', z.boolean(), () => false);
  const baton = await ctx.keep<Baton>('compat.baton', '1', () => ({ value: { leave: undefined }, release: () => {} }));
  const followed = new Map<AgentSession, { dispose(): void }>();
  const offerResources = resourcesOf(extension);

  const unfollow = (session: AgentSession): void => {
    followed.get(session)?.dispose();
    followed.delete(session);
  };
  const begin = async (session: AgentSession, reason: string): Promise<void> => {
    if (!followed.has(session))
      followed.set(
        session,
        session.subscribe((event) => extension.inSession(session, () => hear(extension, runs, session, event))),
      );
    hasRun.value = true;
    await prepare();
    const previousSessionFile = session.header.parentSession;
    await extension.ask(
      'session_start',
      { reason, ...(previousSessionFile === undefined ? {} : { previousSessionFile }) },
      session,
    );
    await offerResources(session, reason === 'reload' ? 'reload' : 'startup');
  };
  const leave = async (): Promise<void> => {
    if (baton.leave === leave) baton.leave = undefined;
    await extension.settled();
    for (const session of extension.sessions().filter((one) => followed.has(one))) {
      unfollow(session);
      await extension.inSession(session, () => extension.ask('session_shutdown', { reason: 'reload' }, session));
    }
  };

  ctx.tap(sessionStart, async ({ sessionId, reason }) => {
    const session = extension.byId(sessionId);
    if (session !== undefined) await begin(session, reason === 'branch' ? 'fork' : reason);
  });
  ctx.tap(sessionShutdown, async ({ sessionId, reason }) => {
    const session = extension.byId(sessionId);
    await extension.settled();
    await extension.ask('session_shutdown', { reason: reason === 'branch' ? 'fork' : reason }, session);
    if (session !== undefined && reason === 'quit') unfollow(session);
  });
  ctx.tap(agentEnd, ({ sessionId, status }) => {
    const session = extension.byId(sessionId);
    if (session !== undefined && status === 'aborted') runs.aborted(session);
  });
  // Not before it is live: what it registers in its first handler has to be seen.
  ctx.tap(pluginChanged, ({ id, state, revision }) => {
    if (id !== ctx.id || state !== 'live' || revision !== ctx.revision) return;
    const before = baton.leave;
    baton.leave = leave;
    const reason = hasRun.value ? 'reload' : 'startup';
    extension.track(
      (async () => {
        await before?.();
        for (const session of extension.sessions())
          if (!followed.has(session)) await extension.inSession(session, () => begin(session, reason));
      })(),
    );
  });
  ctx.defer(leave);
}

/** What no hook tells: the stream that modes listen to. */
function hear(extension: Extension, runs: Runs, session: AgentSession, event: AgentEvent): void {
  switch (event.type) {
    case 'agent_start':
      runs.began(session);
      extension.tell('agent_start', {}, session);
      break;
    case 'agent_end':
      extension.tell('agent_end', { messages: event.messages, willRetry: false }, session);
      break;
    case 'agent_settled':
      runs.over(session);
      extension.tell('agent_settled', { aborted: event.aborted }, session);
      break;
    case 'session_name':
      extension.tell('session_info_changed', { name: event.name }, session);
      break;
    case 'auto_retry_start':
    case 'auto_retry_end':
    case 'auto_compaction_start':
    case 'auto_compaction_end':
      extension.tell(event.type, { ...event }, session);
      break;
    default:
      break;
  }
}
