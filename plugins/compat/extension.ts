import { AsyncLocalStorage } from 'node:async_hooks';
import { type AgentSession, agentSessions } from 'kern/contracts';
import { type Context, codeOf, KernError, messageOf } from 'kern/plugin';
import type { ExtensionOrigin } from './contract.ts';

/** What a handler is told. Written for other hosts, it may change what it is given. */
export type Payload = Record<string, unknown>;
export type Handler = (event: Payload, context: unknown) => unknown;

/** Ends the round when it answers true. */
export type Take = (answer: unknown) => boolean | undefined;

export const isRecord = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One extension of another agent: its handlers, and where its code runs. */
export class Extension {
  readonly ctx: Context;
  readonly origin: ExtensionOrigin;
  /** What handlers get beside the event. Set before the factory is called. */
  makeContext: (session: AgentSession | undefined) => object = () => ({});
  /** Around all code of it: what it imports of its host has to know who calls. Set likewise. */
  within: <R>(fn: () => R) => R = (fn) => fn();
  readonly #handlers = new Map<string, readonly Handler[]>();
  readonly #noticed = new Set<string>();
  readonly #open = new Set<Promise<unknown>>();
  /** As this plugin, in no session and in no run. */
  readonly #asItself = AsyncLocalStorage.snapshot();

  constructor(ctx: Context, origin: ExtensionOrigin) {
    this.ctx = ctx;
    this.origin = origin;
  }

  get name(): string {
    return this.origin.name;
  }

  // --- Sessions --------------------------------------------------------------------------------------------------

  sessions(): readonly AgentSession[] {
    try {
      return this.ctx.service(agentSessions).open();
    } catch (error) {
      if (codeOf(error) === 'service_missing') return []; // nobody has conversations here
      throw error;
    }
  }

  byId(id: string): AgentSession | undefined {
    return this.sessions().find((session) => session.id === id);
  }

  /** The one this code runs in; for a timer or a watcher of its own, the newest. */
  session(): AgentSession | undefined {
    return this.#sessionAround() ?? this.sessions().at(-1);
  }

  #sessionAround(): AgentSession | undefined {
    try {
      return this.byId(this.ctx.session.id);
    } catch (error) {
      if (codeOf(error) === 'no_session' || codeOf(error) === 'stale_session') return undefined;
      throw error;
    }
  }

  /** Throws where there is none. */
  liveSession(what: string): AgentSession {
    const session = this.session();
    if (session !== undefined) return session;
    throw new KernError('no_session', `the extension ${this.name} used ${what} where no session runs`, {
      hint: 'use it in a handler of an event, in a tool, or in a command',
    });
  }

  /** Runs code of the extension as it would run in a session, and in no run of it. */
  inSession<R>(session: AgentSession, fn: () => R): R {
    return this.#asItself(() => session.view.enter(fn));
  }

  // --- Handlers --------------------------------------------------------------------------------------------------

  /** Answers with what takes this registration away. */
  add(event: string, handler: Handler): () => void {
    // A function of its own: the same handler twice is two.
    const own: Handler = (payload, context) => handler(payload, context);
    this.#handlers.set(event, [...(this.#handlers.get(event) ?? []), own]);
    return () => {
      this.#handlers.set(
        event,
        (this.#handlers.get(event) ?? []).filter((other) => other !== own),
      );
    };
  }

  has(event: string): boolean {
    return (this.#handlers.get(event)?.length ?? 0) > 0;
  }

  handlersOf(event: string): readonly Handler[] {
    return this.#handlers.get(event) ?? [];
  }

  /** Asks the handlers one after the other. One that fails is reported, and the next is asked. */
  async ask(event: string, payload: Payload, session: AgentSession | undefined, take?: Take): Promise<void> {
    const handlers = this.handlersOf(event);
    if (handlers.length === 0) return;
    const context = this.makeContext(session);
    const told = Object.assign(payload, { type: event });
    for (const handler of handlers) {
      try {
        const answer = await this.within(() => handler(told, context));
        if (take?.(answer) === true) return;
      } catch (error) {
        this.failed(event, error);
      }
    }
  }

  /** Tells the handlers, and waits for nobody. What has begun is waited for when the session ends. */
  tell(event: string, payload: Payload, session: AgentSession | undefined): void {
    if (!this.has(event)) return;
    this.track(this.ask(event, payload, session));
  }

  track(work: Promise<unknown>): void {
    const done = work.catch((error: unknown) => this.failed('its work', error)).finally(() => this.#open.delete(done));
    this.#open.add(done);
  }

  async settled(): Promise<void> {
    await Promise.all(this.#open);
  }

  // --- What it is told -------------------------------------------------------------------------------------------

  failed(event: string, error: unknown): void {
    this.ctx.log.error(`the extension ${this.name} failed in ${event}: ${messageOf(error)}`, error);
  }

  /** Said once: something is not as it is in the other agent. */
  notice(about: string, text: string, how: 'info' | 'warn' = 'warn'): void {
    if (this.#noticed.has(about)) return;
    this.#noticed.add(about);
    this.ctx.log[how](`the extension ${this.name}: ${text} (${this.origin.path})`);
  }
}
