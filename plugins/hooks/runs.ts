import type { AssistantMessage, CompactionJob, CompactionReason, RunStatus, SwitchReason } from 'kern/contracts';
import { anyWaits } from './asked.ts';
import type { Desk } from './desk.ts';
import { envFileName, withEnvFile } from './env-file.ts';
import { merged } from './merged.ts';
import type { Occurrence, Scene } from './occurrence.ts';
import { sceneOf, sessionBy, sessionIdOf } from './scenes.ts';

/** As Claude Code calls how a session begins. */
const sources: Readonly<Record<'startup' | SwitchReason, string>> = {
  startup: 'startup',
  new: 'clear',
  resume: 'resume',
  fork: 'fork',
  branch: 'fork',
};
const endings: Readonly<Record<'quit' | SwitchReason, string>> = {
  quit: 'other',
  new: 'clear',
  resume: 'resume',
  fork: 'fork',
  branch: 'fork',
};
const triggerOf = (reason: CompactionReason): string => (reason === 'manual' ? 'manual' : 'auto');

const textOf = (message: AssistantMessage): string =>
  message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

/** Hooks around sessions and their runs. */
export class Runs {
  readonly #desk: Desk;
  /** Hooks of sessions that began, until their first prompt. */
  readonly #beginning = new Map<string, Promise<void>>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Nobody waits for it before there is a prompt. */
  began(sessionId: string, reason: 'startup' | SwitchReason): void {
    const source = sources[reason];
    const scene = sceneOf(this.#desk.ctx, sessionId);
    const asking = this.#begin(
      sessionId,
      { event: 'SessionStart', matched: source, fields: { source, model: scene.model ?? '' } },
      scene,
    );
    this.#followBeginning(sessionId, asking);
  }

  /** The next prompt waits for it. */
  #followBeginning(sessionId: string, work: Promise<void>): void {
    this.#desk.follow(sessionId, work);
    this.#beginning.set(
      sessionId,
      work.catch(() => {}), // told by whoever follows it
    );
  }

  async #begin(sessionId: string, what: Occurrence, scene: Scene): Promise<void> {
    const tell = async (env?: Occurrence['env']): Promise<void> => {
      const said = await this.#desk.ask({ ...what, ...(env === undefined ? {} : { env }) }, scene);
      this.#desk.note(sessionId, merged(said, false).contexts);
    };
    if (process.platform === 'win32' || !(await anyWaits(this.#desk.ctx, what.event))) return tell();
    this.#desk.export(sessionId, await withEnvFile(this.#desk.ctx, (file) => tell({ [envFileName]: file })));
  }

  /** What the person is told in place of an answer, where the prompt is not sent. */
  async prompt(text: string): Promise<string | undefined> {
    const sessionId = sessionIdOf(this.#desk.ctx) ?? '';
    await this.#desk.ctx.asking(this.#beginning.get(sessionId) ?? Promise.resolve());
    this.#beginning.delete(sessionId);
    const said = await this.#desk.ask({ event: 'UserPromptSubmit', fields: { prompt: text } });
    const { decision, reason, stop, contexts } = merged(said, false);
    if (stop !== undefined) return `The prompt was not sent: ${stop}`;
    if (decision === 'deny') return `The prompt was not sent: ${reason}`;
    this.#desk.note(sessionId, contexts);
    return undefined;
  }

  /** What the model is told to go on with. */
  async stopping(sessionId: string, message: AssistantMessage, continued: number): Promise<string | undefined> {
    const said = await this.#desk.ask({
      event: 'Stop',
      fields: { stop_hook_active: continued > 0, last_assistant_message: textOf(message), loop_count: continued },
    });
    const { decision, reason, stop, contexts } = merged(said, false);
    if (stop !== undefined) this.#desk.tell(`a hook ended the run: ${stop}`);
    if (stop !== undefined || decision !== 'deny') {
      this.#desk.note(sessionId, contexts);
      return undefined;
    }
    return [reason, ...contexts].join('\n\n');
  }

  ended(sessionId: string, status: RunStatus): void {
    if (status === 'aborted') this.#desk.abort(sessionId);
    const scene = sceneOf(this.#desk.ctx, sessionId);
    if (status === 'aborted') this.#desk.begin({ event: 'Interrupt' }, scene);
    if (status === 'error' || status === 'limit')
      this.#desk.begin({ event: 'StopFailure', fields: { error: status } }, scene);
  }

  /** Why it is not done. */
  async compacting(reason: CompactionReason, job: CompactionJob): Promise<string | undefined> {
    const trigger = triggerOf(reason);
    const fields = { trigger, custom_instructions: job.instructions ?? '' };
    const said = await this.#desk.ask({ event: 'PreCompact', matched: trigger, fields });
    const { decision, reason: why, stop } = merged(said, false);
    return stop ?? (decision === 'deny' ? why : undefined);
  }

  compacted(sessionId: string, reason: CompactionReason, summary: string): void {
    const scene = sceneOf(this.#desk.ctx, sessionId);
    const trigger = triggerOf(reason);
    this.#desk.begin({ event: 'PostCompact', matched: trigger, fields: { trigger, compact_summary: summary } }, scene);
    const fields = { source: 'compact', model: scene.model ?? '' };
    const asked = this.#desk
      .ask({ event: 'SessionStart', matched: 'compact', fields }, scene)
      .then((said) => merged(said, false).contexts);
    // A run that goes on hears it before a request of its own; else the next prompt waits for it.
    if (sessionBy(this.#desk.ctx, sessionId)?.isIdle() === false)
      this.#desk.follow(
        sessionId,
        asked.then((texts) => this.#desk.whisper(sessionId, texts)),
      );
    else
      this.#followBeginning(
        sessionId,
        asked.then((texts) => this.#desk.note(sessionId, texts)),
      );
  }

  switchedModel(sessionId: string, model: string, previous: string | undefined): void {
    const scene = sceneOf(this.#desk.ctx, sessionId);
    this.#desk.begin({ event: 'PostModelSwitch', fields: { model, previous_model: previous ?? '' } }, scene);
  }

  async leaving(sessionId: string, reason: 'quit' | SwitchReason): Promise<void> {
    this.#beginning.delete(sessionId);
    await this.#desk.ctx.asking(this.#desk.settled(sessionId));
    await this.#desk.ask({ event: 'SessionEnd', matched: endings[reason], fields: { reason: endings[reason] } });
    this.#desk.forget(sessionId);
  }
}
