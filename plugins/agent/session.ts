import {
  type AgentSession,
  type CompactionResult,
  models,
  type Prompt,
  type RunResult,
  sessionShutdown,
  type UnsavedEntries,
  workbench,
} from 'kern/contracts';
import { KernError, type QueuedTexts, type SendAs, type SessionHandle, type SwitchAnswer } from 'kern/plugin';
import { handleOf, staleSession } from './handle.ts';
import { groundOf, type SessionParts } from './session-ground.ts';
import { SessionReading } from './session-reading.ts';
import { restoredThinking, tellOpened } from './session-restore.ts';
import { Switcher, unknownEntry } from './switch.ts';
import { parseThinking } from './thinking.ts';
import { type NavigateAnswer, type NavigateOptions, navigate } from './tree.ts';

/** One conversation as others see it: its runs, its settings, its entries, and its end. */
export class Session extends SessionReading implements AgentSession {
  readonly #parts: SessionParts;
  readonly #switcher: Switcher;
  #handle: { readonly handle: SessionHandle; isStale: boolean } | undefined;
  #ending: Promise<void> | undefined;
  #isLeft = false;

  constructor(parts: SessionParts) {
    super(groundOf(parts, () => this.#renewHandle()));
    this.#parts = parts;
    this.#switcher = new Switcher(this.ground);
  }

  /** Takes over what the store holds, and says what is not as it was. */
  begin(): void {
    const { conversation, choice, broadcast, opened } = this.ground;
    const { store, context, model, options } = this.#parts;
    conversation.open(store, context);
    opened(context);
    tellOpened(store, broadcast);
    choice.reads(context);
    choice.select(model.model, model.reason, options.thinking ?? restoredThinking(this.view, context));
  }

  /** The plugins know of it: from now on a message sent while nothing runs starts a run. */
  open(): void {
    this.ground.runner.open();
  }

  /** Something outside changed that the instructions may speak of. */
  stale(): void {
    this.#parts.head.stale();
  }

  // --- Runs --------------------------------------------------------------------------------------------------------

  async prompt(prompt: Prompt): Promise<RunResult> {
    this.#assertLive();
    const { gate, runner } = this.ground;
    if (gate.isChanging) {
      gate.assertOutside('prompt');
      await gate.settled();
      this.#assertLive();
    }
    this.#assertWritable();
    return runner.prompt(prompt);
  }

  async save(): Promise<UnsavedEntries | undefined> {
    return this.#isLeft ? undefined : this.store.rescue?.();
  }

  sendMessage(text: string, { as = 'steer' }: { readonly as?: SendAs } = {}): void {
    this.#send({ text }, as);
  }

  steer(prompt: Prompt): void {
    this.#send(prompt, 'steer');
  }

  followUp(prompt: Prompt): void {
    this.#send(prompt, 'followUp');
  }

  interrupt(prompt: Prompt): void {
    this.#send(prompt, 'interrupt');
  }

  note(prompt: Prompt): void {
    this.#send(prompt, 'nextTurn');
  }

  abort(): QueuedTexts {
    this.#assertHere();
    this.ground.gate.abort();
    return this.ground.runner.abort();
  }

  waitForIdle(): Promise<void> {
    return this.ground.runner.waitForIdle();
  }

  #send(prompt: Prompt, as: SendAs): void {
    this.#assertWritable();
    this.ground.runner.send(prompt, as);
  }

  // --- Settings and entries ----------------------------------------------------------------------------------------

  async setModel(id: string): Promise<void> {
    this.#assertWritable();
    const { model, thinking, notice } = await this.view.service(models).find(id);
    this.#assertWritable();
    const { choice } = this.ground;
    choice.select(model, notice, thinking ?? choice.wanted);
  }

  setThinking(level: string): void {
    this.#assertWritable();
    this.ground.choice.think(parseThinking(level));
  }

  setName(name: string): void {
    this.#assertWritable();
    this.ground.name.change(name.trim());
  }

  setLabel(targetId: string, label: string | undefined): void {
    this.#assertWritable();
    if (this.store.entry(targetId) === undefined) throw unknownEntry(targetId);
    this.ground.conversation.write({ type: 'label', targetId, ...(label === undefined ? {} : { label }) });
  }

  appendEntry(customType: string, data: unknown): string {
    this.#assertWritable();
    return this.ground.conversation.write({ type: 'custom', customType, data });
  }

  // --- Elsewhere ---------------------------------------------------------------------------------------------------

  async newSession(): Promise<SwitchAnswer> {
    this.#assertLive();
    return this.#switcher.newSession();
  }

  async fork(): Promise<SwitchAnswer> {
    this.#assertLive();
    return this.#switcher.fork();
  }

  async branch(entryId: string): Promise<SwitchAnswer & { readonly text?: string }> {
    this.#assertLive();
    return this.#switcher.branch(entryId);
  }

  async switchSession(wanted: string): Promise<SwitchAnswer> {
    this.#assertLive();
    return this.#switcher.switchTo(wanted);
  }

  async navigateTree(entryId: string | null, options?: NavigateOptions): Promise<NavigateAnswer> {
    this.#assertLive();
    this.#assertWritable();
    return navigate(this.ground, entryId, options);
  }

  // --- Compaction --------------------------------------------------------------------------------------------------

  async compact(instructions?: string): Promise<void> {
    await this.compactWith({ instructions });
  }

  async compactWith(options: Parameters<AgentSession['compactWith']>[0] = {}): Promise<CompactionResult> {
    this.#assertLive();
    this.#assertWritable();
    const { gate, compactor, view } = this.ground;
    if (options.preview === true)
      return gate.change('compactWith', (signal) => view.enter(() => compactor.compact(options, signal)));
    return this.#atRest('compact', (signal) => compactor.compact(options, signal));
  }

  async undoCompaction(): Promise<void> {
    this.#assertLive();
    this.#assertWritable();
    await this.#atRest('undoCompaction', () => this.ground.compactor.undo());
  }

  /** Ends what runs, and keeps it from starting meanwhile. */
  #atRest<T>(what: string, fn: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { gate, runner, view } = this.ground;
    return gate.change(what, async (signal) => {
      await runner.hold();
      try {
        return await view.enter(() => fn(signal));
      } finally {
        runner.open();
      }
    });
  }

  async reload(): Promise<void> {
    this.#assertLive();
    this.ground.gate.assertOutside('reload');
    await this.view.use(workbench).load();
    await this.view.service(workbench).reload();
  }

  // --- The end -----------------------------------------------------------------------------------------------------

  /** Aborts what runs, tells the plugins, and closes the file. */
  [Symbol.asyncDispose](): Promise<void> {
    // In a step of its own: what is told on the way out may ask for the end again.
    this.#ending ??= Promise.resolve().then(() => this.#leave());
    return this.#ending;
  }

  async #leave(): Promise<void> {
    const { view, gate, runner, titler, broadcast } = this.ground;
    gate.abort();
    await runner.close();
    await gate.settled();
    await titler.end();
    await view.enter(() => view.call(sessionShutdown, { sessionId: this.id, reason: 'quit' }));
    // A store that cannot write its last entries says so by its report.
    await this.store.close().catch(() => {});
    this.#isLeft = true;
    if (view.session === this.#handle?.handle) view.session = undefined;
    this.#parts.release();
    broadcast.close();
  }

  /** What plugins hold of the file before is of no use any more: they get another. */
  #renewHandle(): void {
    if (this.#handle !== undefined) this.#handle.isStale = true;
    const state: { handle: SessionHandle; isStale: boolean } = {
      handle: handleOf(this, () => this.#isLeft || state.isStale),
      isStale: false,
    };
    this.#handle = state;
    this.view.session = state.handle;
  }

  /** Not left, and not about to be. */
  #assertLive(): void {
    if (this.#ending !== undefined) throw staleSession();
  }

  #assertHere(): void {
    if (this.#isLeft) throw staleSession();
  }

  #assertWritable(): void {
    this.#assertHere();
    const { readonly: why } = this.store;
    if (why === undefined) return;
    throw new KernError('session_readonly', `this session can only be read: ${why}`, {
      hint: 'go on in a copy of it: fork it',
    });
  }
}
