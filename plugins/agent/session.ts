import {
  type AgentEvent,
  type AgentSession,
  type Message,
  type Model,
  models,
  type Prompt,
  type RunResult,
  type SessionHeader,
  type SessionStore,
  sessionShutdown,
  type ThinkingLevel,
} from 'kern/contracts';
import { KernError, type SessionHandle, type View } from 'kern/plugin';
import { Broadcast } from './broadcast.ts';
import { Conversation } from './conversation.ts';
import { handleOf, staleSession } from './handle.ts';
import type { Head } from './head.ts';
import { Runner } from './runner.ts';
import { clampThinking, parseThinking } from './thinking.ts';
import type { ToolSeam } from './tool-seam.ts';

export interface SessionParts {
  readonly view: View;
  readonly cwd: string;
  readonly store: SessionStore;
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly head: Head;
  readonly tools: ToolSeam;
  readonly settleMs: number;
  readonly graceMs: number;
  /** Undone when the session is left. */
  readonly release: () => void;
}

/** One conversation as others see it: its runs, its settings, its entries, and its end. */
export class Session implements AgentSession {
  readonly view: View;
  readonly cwd: string;
  /** What plugins hold of it. */
  readonly handle: SessionHandle;
  readonly broadcast: Broadcast;
  readonly #parts: SessionParts;
  readonly #conversation: Conversation;
  readonly #runner: Runner;
  #model: Model;
  #thinking: ThinkingLevel;
  #ending: Promise<void> | undefined;
  #isLeft = false;

  constructor(parts: SessionParts) {
    const { view, cwd, store } = parts;
    this.#parts = parts;
    this.view = view;
    this.cwd = cwd;
    this.#model = parts.model;
    this.#thinking = parts.thinking;
    this.broadcast = new Broadcast(view, store.header.id);
    this.#conversation = new Conversation(store, this.broadcast);
    this.#runner = new Runner({
      ...parts,
      sessionId: store.header.id,
      conversation: this.#conversation,
      broadcast: this.broadcast,
      model: () => this.#model,
      thinking: () => this.#thinking,
    });
    this.handle = handleOf(this, () => this.#isLeft);
    this.#writeModel();
    this.#conversation.write({ type: 'thinking_level_change', thinkingLevel: this.#thinking });
  }

  /** The plugins know of it: from now on a message sent while nothing runs starts a run. */
  open(): void {
    this.#runner.open();
  }

  get header(): SessionHeader {
    return this.#parts.store.header;
  }

  get id(): string {
    return this.header.id;
  }

  get file(): string | undefined {
    return this.#parts.store.file;
  }

  get name(): string | undefined {
    return this.#parts.store.entries().findLast((entry) => entry.type === 'session_info')?.name;
  }

  messages(): readonly Message[] {
    return this.#conversation.messages;
  }

  subscribe(listener: (event: AgentEvent) => void): { dispose(): void } {
    return this.broadcast.subscribe(listener);
  }

  /** Something outside changed that the instructions may speak of. */
  stale(): void {
    this.#parts.head.stale();
  }

  // --- Runs --------------------------------------------------------------------------------------------------------

  async prompt(prompt: Prompt): Promise<RunResult> {
    this.#assertLive();
    if (this.#ending !== undefined) throw staleSession();
    return this.#runner.prompt(prompt);
  }

  sendMessage(text: string, { as = 'steer' }: { readonly as?: 'steer' | 'followUp' | 'nextTurn' } = {}): void {
    this.#assertLive();
    this.#runner.send(text, as);
  }

  abort(): void {
    this.#assertLive();
    this.#runner.abort();
  }

  isIdle(): boolean {
    return this.#runner.isIdle;
  }

  waitForIdle(): Promise<void> {
    return this.#runner.waitForIdle();
  }

  // --- Settings and entries ----------------------------------------------------------------------------------------

  get currentModel(): Model {
    return this.#model;
  }

  model(): { readonly id: string } {
    return { id: this.#model.id };
  }

  async setModel(id: string): Promise<void> {
    this.#assertLive();
    this.#model = await this.view.service(models).resolve(id);
    this.#writeModel();
    this.setThinking(this.#thinking);
  }

  thinking(): string {
    return this.#thinking;
  }

  setThinking(level: string): void {
    this.#assertLive();
    const clamped = clampThinking(parseThinking(level), this.#model);
    if (clamped === this.#thinking) return;
    this.#thinking = clamped;
    this.#conversation.write({ type: 'thinking_level_change', thinkingLevel: clamped });
  }

  appendEntry(customType: string, data: unknown): string {
    this.#assertLive();
    return this.#conversation.write({ type: 'custom', customType, data });
  }

  setLabel(targetId: string, label: string | undefined): void {
    this.#assertLive();
    this.#conversation.write({ type: 'label', targetId, ...(label === undefined ? {} : { label }) });
  }

  async compact(): Promise<void> {
    this.#assertLive();
    throw new KernError('compaction_unavailable', 'nothing that compacts a session is loaded', {
      hint: 'start a new session to get a fresh context',
    });
  }

  #writeModel(): void {
    this.#conversation.write({ type: 'model_change', provider: this.#model.provider, modelId: this.#model.model });
  }

  // --- The end -----------------------------------------------------------------------------------------------------

  /** Aborts what runs, tells the plugins, and closes the file. */
  [Symbol.asyncDispose](): Promise<void> {
    // In a step of its own: what is told on the way out may ask for the end again.
    this.#ending ??= Promise.resolve().then(() => this.#leave());
    return this.#ending;
  }

  async #leave(): Promise<void> {
    const { view, store, release } = this.#parts;
    await this.#runner.close();
    await view.enter(() => view.call(sessionShutdown, { sessionId: this.id, reason: 'quit' }));
    // A store that cannot write its last entries says so by its report.
    await store.close().catch(() => {});
    this.#isLeft = true;
    if (view.session === this.handle) view.session = undefined;
    release();
    this.broadcast.close();
  }

  #assertLive(): void {
    if (this.#isLeft) throw staleSession();
  }
}
