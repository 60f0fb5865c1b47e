import type { CustomMessage } from 'kern/contracts';
import { type Context, messageOf } from 'kern/plugin';
import { type AskPorts, askHooks, type Said } from './asked.ts';
import { hookMessage } from './contract.ts';
import type { Variables } from './env-file.ts';
import { Granted } from './granted.ts';
import type { Occurrence, Scene } from './occurrence.ts';
import { sceneOf, sessionBy, sessionIdOf } from './scenes.ts';

/** What one revision of the plugin knows of its sessions. */
export class Desk {
  readonly ctx: Context;
  readonly #told = new Set<string>();
  readonly #ran = new Set<string>();
  /** Ends the hooks of a session that run. */
  readonly #running = new Map<string, AbortController>();
  /** What nobody waits for, by session. */
  readonly #open = new Map<string, Set<Promise<unknown>>>();
  /** For the model, with the next prompt. */
  readonly #notes = new Map<string, string[]>();
  /** What hooks have the shell export, by session. */
  readonly #exports = new Map<string, Variables>();
  readonly #ports: AskPorts;
  readonly #granted: Granted;
  /** Sessions that asked, and are not over. */
  readonly #sessions = new Set<string>();

  constructor(ctx: Context) {
    this.ctx = ctx;
    this.#granted = new Granted(ctx, (text) => this.tell(text));
    this.#ports = {
      ctx,
      ran: this.#ran,
      granted: this.#granted,
      tell: (text) => this.tell(text),
      say: (text, hook) => this.#say(text, hook),
      later: (said, what, scene) => this.#later(said, what, scene),
    };
  }

  /** Where no person is there, whoever runs the session passes it on; without one it goes where faults go. */
  #say(message: string, hook: string): void {
    const sessionId = sessionIdOf(this.ctx);
    if (this.ctx.ui.available) this.ctx.ui.notify(message, 'info');
    else if (sessionId === undefined) this.ctx.log.warn(message);
    else this.ctx.call(hookMessage, { sessionId, hook, message });
  }

  tell(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.ctx.log.warn(text);
  }

  ask(what: Occurrence, scene: Scene = sceneOf(this.ctx)): Promise<readonly Said[]> {
    const running = this.#running.get(scene.sessionId) ?? new AbortController();
    this.#running.set(scene.sessionId, running);
    this.#sessions.add(scene.sessionId);
    // The clock of the hook that waits stands still: each program has a time limit of its own.
    return this.ctx.asking(askHooks(this.#ports, what, scene, running.signal));
  }

  /** Tells hooks whose answer changes nothing, and waits for nobody. */
  begin(what: Occurrence, scene: Scene = sceneOf(this.ctx)): void {
    this.follow(scene.sessionId, this.ask(what, scene));
  }

  /** Waited for when the session ends. */
  follow(sessionId: string, work: Promise<unknown>): void {
    const open = this.#open.get(sessionId) ?? new Set();
    this.#open.set(sessionId, open);
    const done = work
      .catch((error: unknown) => this.tell(`a hook failed: ${messageOf(error)}`))
      .finally(() => open.delete(done));
    open.add(done);
  }

  async settled(sessionId: string): Promise<void> {
    await Promise.all(this.#open.get(sessionId) ?? []);
  }

  /** Whatever runs for the session is ended. */
  abort(sessionId: string): void {
    this.#running.get(sessionId)?.abort();
    this.#running.delete(sessionId);
  }

  forget(sessionId: string): void {
    this.abort(sessionId);
    this.#sessions.delete(sessionId);
    if (this.#sessions.size === 0) this.#granted.forget();
    this.#open.delete(sessionId);
    this.#notes.delete(sessionId);
    this.#exports.delete(sessionId);
    for (const key of this.#ran) if (key.startsWith(`${sessionId}\0`)) this.#ran.delete(key);
  }

  export(sessionId: string, variables: Variables): void {
    if (Object.keys(variables).length > 0) this.#exports.set(sessionId, variables);
  }

  exported(sessionId: string): Variables | undefined {
    return this.#exports.get(sessionId);
  }

  // --- What the model is told ------------------------------------------------------------------------------------

  note(sessionId: string, texts: readonly string[]): void {
    if (texts.length > 0) this.#notes.set(sessionId, [...(this.#notes.get(sessionId) ?? []), ...texts]);
  }

  takeNotes(sessionId: string): readonly CustomMessage[] {
    const texts = this.#notes.get(sessionId) ?? [];
    this.#notes.delete(sessionId);
    return texts.map((text) => ({
      role: 'custom',
      customType: 'kern.hook',
      content: [{ type: 'text', text }],
      display: true,
      timestamp: Date.now(),
    }));
  }

  /** A run that goes on hears it before its next request, another with its next prompt. */
  whisper(sessionId: string, texts: readonly string[]): void {
    const session = sessionBy(this.ctx, sessionId);
    for (const text of texts) {
      const custom = { customType: 'kern.hook', display: true };
      if (session === undefined || session.isIdle()) this.note(sessionId, [text]);
      else session.steer({ text, custom });
    }
  }

  #later({ outcome }: Said, _what: Occurrence, { sessionId }: Scene): void {
    if (outcome.state === 'answered' && outcome.answer.context !== undefined)
      this.note(sessionId, [outcome.answer.context]);
  }
}
