import {
  type AgentEvent,
  type AgentSession,
  type CompactionResult,
  type ContextMessage,
  type EntryNode,
  type ForeignEntry,
  type Message,
  type Model,
  models,
  type Prompt,
  type RunResult,
  type SessionContext,
  type SessionEntry,
  type SessionHeader,
  type SessionOptions,
  type SessionStats,
  type SessionStore,
  sessionShutdown,
  workbench,
} from 'kern/contracts';
import {
  KernError,
  type QueuedTexts,
  type SendAs,
  type SessionHandle,
  type SwitchAnswer,
  type View,
} from 'kern/plugin';
import { Broadcast } from './broadcast.ts';
import { Conversation } from './conversation.ts';
import { handleOf, staleSession } from './handle.ts';
import type { Head } from './head.ts';
import { Runner } from './runner.ts';
import { compactionOf } from './session-compaction.ts';
import { Gate } from './session-gate.ts';
import type { SessionGround } from './session-ground.ts';
import { Memory } from './session-memory.ts';
import { Choice } from './session-model.ts';
import { type RestoredModel, restoredThinking, tellOpened } from './session-restore.ts';
import { settingsOf } from './settings.ts';
import { Tally } from './stats.ts';
import { Switcher, unknownEntry } from './switch.ts';
import { parseThinking } from './thinking.ts';
import { Titler } from './title.ts';
import type { ToolSeam } from './tool-seam.ts';
import { type NavigateOptions, navigate } from './tree.ts';
import { TreeIndex } from './tree-index.ts';

export interface SessionParts {
  readonly view: View;
  readonly cwd: string;
  readonly store: SessionStore;
  /** What its branch comes to. */
  readonly context: SessionContext;
  readonly model: RestoredModel;
  readonly options: Pick<SessionOptions, 'persist' | 'sessionDir' | 'whenBusy' | 'thinking' | 'oneShot'>;
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
  readonly broadcast: Broadcast;
  readonly #parts: SessionParts;
  readonly #ground: SessionGround;
  readonly #switcher: Switcher;
  #handle: { readonly handle: SessionHandle; isStale: boolean } | undefined;
  #name: string | undefined;
  /** Made when somebody asks, and anew in another file. */
  #index: { readonly of: SessionStore; readonly tally: Tally; readonly tree: TreeIndex } | undefined;
  #ending: Promise<void> | undefined;
  #isLeft = false;

  constructor(parts: SessionParts) {
    const { view, cwd, store, head, options } = parts;
    this.#parts = parts;
    this.view = view;
    this.cwd = cwd;
    const gate = new Gate(() => this.#ground.runner.startWaiting());
    const sessionId = (): string => this.id;
    const settings = settingsOf(view);
    this.broadcast = new Broadcast(view, sessionId, gate);
    const { broadcast } = this;
    const memory = new Memory();
    const conversation = new Conversation(store, broadcast, (context) => {
      head.resume(context);
      memory.forget();
    });
    const choice = new Choice(
      { conversation, broadcast, sessionId },
      parts.model.model,
      options.thinking ?? restoredThinking(view, { thinking: undefined }),
    );
    const compactor = compactionOf({ conversation, broadcast, choice, head, settings, sessionId });
    const titler = new Titler({
      view,
      sessionId,
      model: () => choice.model,
      settings: () => settings().title,
      isOneShot: options.oneShot === true,
      isNamed: () => this.#name !== undefined,
      name: (title) => this.#rename(title),
    });
    const common = { view, gate, broadcast, conversation, choice, compactor, titler };
    const runner = new Runner({ ...parts, ...common, memory, sessionId, settings });
    this.#ground = { ...common, cwd, options, runner, opened: (context) => this.#opened(context) };
    this.#switcher = new Switcher(this.#ground);
  }

  /** Takes over what the store holds, and says what is not as it was. */
  begin(): void {
    const { conversation, choice, broadcast } = this.#ground;
    const { store, context, model, options } = this.#parts;
    conversation.open(store, context);
    this.#opened(context);
    tellOpened(store, broadcast);
    choice.reads(context);
    choice.select(model.model, model.reason, options.thinking ?? restoredThinking(this.view, context));
  }

  /** The plugins know of it: from now on a message sent while nothing runs starts a run. */
  open(): void {
    this.#ground.runner.open();
  }

  get #store(): SessionStore {
    return this.#ground.conversation.store;
  }

  get header(): SessionHeader {
    return this.#store.header;
  }

  get id(): string {
    return this.header.id;
  }

  get file(): string | undefined {
    return this.#store.file;
  }

  get name(): string | undefined {
    return this.#name;
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
    const { gate, runner } = this.#ground;
    if (gate.isChanging) {
      gate.assertOutside('prompt');
      await gate.settled();
      this.#assertLive();
    }
    this.#assertWritable();
    return runner.prompt(prompt);
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

  queue(): QueuedTexts {
    return this.#ground.runner.queue();
  }

  abort(): QueuedTexts {
    this.#assertHere();
    this.#ground.gate.abort();
    return this.#ground.runner.abort();
  }

  isIdle(): boolean {
    return this.#ground.runner.isIdle;
  }

  waitForIdle(): Promise<void> {
    return this.#ground.runner.waitForIdle();
  }

  #send(prompt: Prompt, as: SendAs): void {
    this.#assertHere();
    this.#assertWritable();
    this.#ground.runner.send(prompt, as);
  }

  // --- Settings and entries ----------------------------------------------------------------------------------------

  get currentModel(): Model {
    return this.#ground.choice.model;
  }

  model(): { readonly id: string } {
    return { id: this.currentModel.id };
  }

  async setModel(id: string): Promise<void> {
    this.#assertWritable();
    const model = await this.view.service(models).resolve(id);
    this.#assertWritable();
    const { choice } = this.#ground;
    choice.select(model, undefined, choice.wanted);
  }

  thinking(): string {
    return this.#ground.choice.thinking;
  }

  setThinking(level: string): void {
    this.#assertWritable();
    this.#ground.choice.think(parseThinking(level));
  }

  setName(name: string): void {
    this.#assertWritable();
    this.#rename(name.trim());
  }

  #rename(name: string): void {
    if (name === this.#name) return;
    this.#name = name;
    this.#ground.conversation.write({ type: 'session_info', name });
    this.broadcast.emit({ type: 'session_name', name });
  }

  setLabel(targetId: string, label: string | undefined): void {
    this.#assertWritable();
    if (this.#store.entry(targetId) === undefined) throw unknownEntry(targetId);
    this.#ground.conversation.write({ type: 'label', targetId, ...(label === undefined ? {} : { label }) });
  }

  appendEntry(customType: string, data: unknown): string {
    this.#assertWritable();
    return this.#ground.conversation.write({ type: 'custom', customType, data });
  }

  entriesOf(customType: string): readonly { readonly id: string; readonly data: unknown }[] {
    const found: { id: string; data: unknown }[] = [];
    for (const { id, type } of this.#indexed().tree.branch()) {
      const entry = type === 'custom' ? this.#store.entry(id) : undefined;
      if (entry?.type === 'custom' && entry.customType === customType) found.push({ id, data: entry.data });
    }
    return found.reverse();
  }

  messages(): readonly Message[] {
    return this.#ground.conversation.messages;
  }

  context(): readonly ContextMessage[] {
    return this.#ground.conversation.contextEntries();
  }

  stats(): SessionStats {
    const tokens = this.#ground.compactor.contextTokens();
    return this.#indexed().tally.read({ tokens, window: this.currentModel.contextWindow });
  }

  // --- The tree ----------------------------------------------------------------------------------------------------

  get leaf(): string | null {
    return this.#store.leaf;
  }

  nodes(): readonly EntryNode[] {
    return this.#store.nodes();
  }

  entry(id: string): SessionEntry | ForeignEntry | undefined {
    return this.#store.entry(id);
  }

  label(id: string): string | undefined {
    return this.#store.label(id);
  }

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

  async navigateTree(
    entryId: string | null,
    options?: NavigateOptions,
  ): Promise<SwitchAnswer & { readonly text?: string }> {
    this.#assertWritable();
    return navigate(this.#ground, entryId, options);
  }

  // --- Compaction --------------------------------------------------------------------------------------------------

  async compact(instructions?: string): Promise<void> {
    await this.compactWith({ instructions });
  }

  async compactWith(options: Parameters<AgentSession['compactWith']>[0] = {}): Promise<CompactionResult> {
    this.#assertWritable();
    const { gate, compactor } = this.#ground;
    if (options.preview === true)
      return gate.change('compactWith', (signal) => this.view.enter(() => compactor.compact(options, signal)));
    return this.#atRest('compact', (signal) => compactor.compact(options, signal));
  }

  async undoCompaction(): Promise<void> {
    this.#assertWritable();
    await this.#atRest('undoCompaction', () => this.#ground.compactor.undo());
  }

  /** Ends what runs, and keeps it from starting meanwhile. */
  #atRest<T>(what: string, fn: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { gate, runner } = this.#ground;
    return gate.change(what, async (signal) => {
      await runner.hold();
      try {
        return await this.view.enter(() => fn(signal));
      } finally {
        runner.open();
      }
    });
  }

  async reload(): Promise<void> {
    this.#assertLive();
    this.#ground.gate.assertOutside('reload');
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
    const { view, gate, runner, titler } = this.#ground;
    gate.abort();
    await runner.close();
    await gate.settled();
    await titler.end();
    await view.enter(() => view.call(sessionShutdown, { sessionId: this.id, reason: 'quit' }));
    // A store that cannot write its last entries says so by its report.
    await this.#store.close().catch(() => {});
    this.#isLeft = true;
    if (view.session === this.#handle?.handle) view.session = undefined;
    this.#parts.release();
    this.broadcast.close();
  }

  /** The session goes on in a file: what plugins hold of the one before is of no use any more, and they get another. */
  #opened({ name }: SessionContext): void {
    this.#name = name;
    if (this.#handle !== undefined) this.#handle.isStale = true;
    const state: { handle: SessionHandle; isStale: boolean } = {
      handle: handleOf(this, () => this.#isLeft || state.isStale),
      isStale: false,
    };
    this.#handle = state;
    this.view.session = state.handle;
  }

  #indexed(): { readonly tally: Tally; readonly tree: TreeIndex } {
    const store = this.#store;
    if (this.#index?.of !== store) this.#index = { of: store, tally: new Tally(store), tree: new TreeIndex(store) };
    return this.#index;
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
    const { readonly: why } = this.#store;
    if (why === undefined) return;
    throw new KernError('session_readonly', `this session can only be read: ${why}`, {
      hint: 'go on in a copy of it: fork it',
    });
  }
}
