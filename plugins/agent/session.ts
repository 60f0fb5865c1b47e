import {
  type AgentEvent,
  type AgentSession,
  agentBeforeStart,
  agentEnd,
  type CustomMessage,
  input as inputHook,
  inputText,
  type Message,
  type Model,
  models,
  type Prompt,
  type RunResult,
  type SessionStore,
  type StoreReport,
  sessionShutdown,
  sessionWriteFailed,
  sessionWriteRestored,
  type ThinkingLevel,
  type UserMessage,
} from 'kern/contracts';
import { KernError, type SessionHandle, type View } from 'kern/plugin';
import { Conversation } from './conversation.ts';
import { handleOf, staleSession } from './handle.ts';
import type { Head } from './head.ts';
import { type LoopEnd, type LoopPort, runLoop, type Turn } from './loop.ts';
import { MessageQueue } from './queue.ts';
import { resultOf } from './result.ts';
import { tellPlugins } from './tell.ts';
import { clampThinking, parseThinking } from './thinking.ts';
import type { ToolSeam } from './tool-seam.ts';
import { pinnedTurn } from './turn.ts';

export interface SessionParts {
  readonly view: View;
  readonly cwd: string;
  readonly store: SessionStore;
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly head: Head;
  readonly tools: ToolSeam;
  /** How long a turn waits for queued plugin changes before it pins. */
  readonly settleMs: number;
  /** How long an aborted tool may take to end by itself. */
  readonly graceMs: number;
  /** Undone when the session is left. */
  readonly release: () => void;
}

interface Run {
  readonly controller: AbortController;
  readonly started: number;
  /** Where its messages begin. */
  readonly from: number;
}

/** What a run starts with, or that a plugin took the input for itself. */
type Opening = { readonly messages: readonly Message[] } | { readonly handled: string };

/** One conversation: the loop, what is kept of it, and who listens. */
export class Session implements AgentSession {
  readonly view: View;
  readonly cwd: string;
  readonly handle: SessionHandle;
  readonly #parts: SessionParts;
  readonly #head: Head;
  readonly #queue = new MessageQueue();
  readonly #conversation: Conversation;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  #model: Model;
  #thinking: ThinkingLevel;
  #run: Run | undefined;
  #idle = Promise.resolve();
  #turnView: View | undefined;
  #state: 'opening' | 'open' | 'leaving' | 'left' = 'opening';

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.view = parts.view;
    this.cwd = parts.cwd;
    this.#head = parts.head;
    this.#model = parts.model;
    this.#thinking = parts.thinking;
    this.#conversation = new Conversation(
      parts.store,
      () => this.#turnView ?? this.view,
      (event) => this.emit(event),
    );
    this.handle = handleOf(this, () => this.#state === 'left');
    this.#writeModel();
    this.#conversation.write({ type: 'thinking_level_change', thinkingLevel: this.#thinking });
  }

  /** From now on a message sent while nothing runs starts a run. */
  open(): void {
    this.#state = 'open';
  }

  get id(): string {
    return this.header.id;
  }

  get header() {
    return this.#parts.store.header;
  }

  get file(): string | undefined {
    return this.#parts.store.file;
  }

  get name(): string | undefined {
    return this.#parts.store.entries().findLast((entry) => entry.type === 'session_info')?.name;
  }

  get currentModel(): Model {
    return this.#model;
  }

  messages(): readonly Message[] {
    return this.#conversation.messages;
  }

  subscribe(listener: (event: AgentEvent) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  /** Tells plugins and listeners. The fault of a listener is its own: it surfaces by itself, and the run goes on. */
  emit(event: AgentEvent): void {
    tellPlugins(this.#turnView ?? this.view, this.id, event);
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /** Something outside changed that the instructions may speak of. */
  stale(): void {
    this.#head.stale();
  }

  report(report: StoreReport): void {
    const view = this.#turnView ?? this.view;
    if (report.type === 'write-failed') {
      view.call(sessionWriteFailed, { error: report.error, pending: report.pending });
      this.emit({ type: 'session_write_failed', error: report.error, pending: report.pending });
    } else {
      view.call(sessionWriteRestored, { written: report.written });
      this.emit({ type: 'session_write_restored', written: report.written });
    }
  }

  // --- Running -------------------------------------------------------------------------------------------------

  async prompt(prompt: Prompt): Promise<RunResult> {
    return this.#start(() => this.#opening(prompt));
  }

  isIdle(): boolean {
    return this.#run === undefined && this.#queue.isEmpty;
  }

  async waitForIdle(): Promise<void> {
    while (this.#run !== undefined) await this.#idle;
  }

  sendMessage(text: string, { as = 'steer' }: { readonly as?: 'steer' | 'followUp' | 'nextTurn' } = {}): void {
    this.#assertLive();
    if (as !== 'nextTurn' && this.#run === undefined && this.#state === 'open') {
      void this.#start(async () => ({ messages: [userMessage(text)] }));
      return;
    }
    this.#queue.add(text, as);
    this.#tellQueue();
  }

  abort(): void {
    this.#assertLive();
    if (!this.#queue.isEmpty) {
      this.#queue.drop();
      this.#tellQueue();
    }
    this.#run?.controller.abort();
  }

  async #start(open: () => Promise<Opening>): Promise<RunResult> {
    this.#assertLive();
    if (this.#run !== undefined)
      throw new KernError('run_in_progress', 'this session is at work already', {
        hint: 'send the message with sendMessage (steer or followUp), or wait with waitForIdle',
      });
    const run: Run = {
      controller: new AbortController(),
      started: performance.now(),
      from: this.#conversation.messages.length,
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#run = run;
    this.#idle = promise;
    const result = await this.view.enter(() => this.#drive(run, open));
    this.#run = undefined;
    resolve();
    // What came while the last words were written would else wait for a prompt that nobody announced.
    if (result.status === 'ok' && this.#state === 'open' && !this.#queue.isEmpty)
      void this.#start(async () => ({ messages: this.#takeWaiting() }));
    return result;
  }

  /** From the opening to the settled end. Never rejects. */
  async #drive(run: Run, open: () => Promise<Opening>): Promise<RunResult> {
    const { signal } = run.controller;
    let end: LoopEnd = { status: 'ok', turns: 0 };
    let said: string | undefined;
    try {
      const opening = await open();
      if ('handled' in opening) said = opening.handled;
      else if (signal.aborted) end = { status: 'aborted', turns: 0 };
      else end = await this.#loops(opening.messages, signal);
    } catch (error) {
      end = { status: signal.aborted ? 'aborted' : 'error', turns: end.turns, failure: error } as LoopEnd;
    }
    // What could not be written was told when it happened, and stays in memory.
    await this.#parts.store.flush().catch(() => {});
    if (said === undefined) this.emit({ type: 'agent_settled', aborted: end.status === 'aborted' });
    return resultOf({
      end,
      said,
      messages: this.#conversation.messages.slice(run.from),
      durationMs: Math.round(performance.now() - run.started),
    });
  }

  /** A loop, and another while something that came at its very end waits. */
  async #loops(first: readonly Message[], signal: AbortSignal): Promise<LoopEnd> {
    let turns = 0;
    for (let waiting = first; ; waiting = this.#takeWaiting()) {
      const from = this.#conversation.messages.length;
      this.emit({ type: 'agent_start' });
      let end: LoopEnd;
      try {
        end = await runLoop(waiting, this.#port(signal));
      } catch (error) {
        end = { status: 'error', turns: 0, failure: error };
      }
      this.view.call(agentEnd, { sessionId: this.id, status: end.status });
      this.emit({ type: 'agent_end', messages: this.#conversation.messages.slice(from) });
      turns += end.turns;
      if (end.status !== 'ok' || signal.aborted || this.#queue.isEmpty) return { ...end, turns };
    }
  }

  async #opening(prompt: Prompt): Promise<Opening> {
    const taken = await this.view.call(inputHook, { text: prompt.text, source: 'person' });
    if (taken !== undefined) return { handled: taken.say ?? '' };
    const { text, images } = await this.view.call(inputText, { text: prompt.text, images: prompt.images ?? [] });
    await this.view.settled(this.#parts.settleMs);
    await this.#makeHead();
    const before = await this.view.call(agentBeforeStart, { prompt: this.#head.system, messages: [] });
    return {
      messages: [...this.#queue.takeNextTurn().map(noteMessage), ...before.messages, userMessage(text, images)],
    };
  }

  /** The system prompt stands in the session as it was sent, so that a resumed session can go on with the same bytes. */
  async #makeHead(): Promise<void> {
    if (!(await this.#head.make(this.view))) return;
    const toolsAdded = this.#head.tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      parameters: inputSchema,
    }));
    this.#conversation.write({
      type: 'message',
      message: { role: 'system', content: this.#head.system, timestamp: Date.now(), toolsAdded },
    });
  }

  #port(signal: AbortSignal): LoopPort {
    return {
      signal,
      graceMs: this.#parts.graceMs,
      openTurn: () => this.#openTurn(signal),
      steering: () => this.#taken(this.#queue.takeSteering()),
      followUps: () => this.#taken(this.#queue.takeFollowUp()),
      emit: (event) => this.emit(event),
    };
  }

  /** Waits for plugin changes under way, then pins: the turn sees one set of plugins from start to end. */
  async #openTurn(signal: AbortSignal): Promise<Turn> {
    await orAborted(this.view.settled(this.#parts.settleMs), signal);
    await this.#makeHead();
    const view = this.view.pin();
    const release = (): void => {
      this.#turnView = undefined;
      view[Symbol.dispose]();
    };
    this.#turnView = view;
    try {
      const notices = await this.#head.changes(view);
      const request = {
        model: this.#model,
        thinking: this.#thinking,
        systemPrompt: this.#head.system,
        tools: this.#head.tools,
        sessionId: this.id,
      };
      return pinnedTurn({
        view,
        notices,
        request,
        conversation: this.#conversation,
        tools: this.#parts.tools,
        signal,
        release,
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  #takeWaiting(): readonly Message[] {
    return this.#taken(this.#queue.takeSteering() ?? this.#queue.takeFollowUp());
  }

  #taken(text: string | undefined): readonly Message[] {
    if (text === undefined) return [];
    this.#tellQueue();
    return [userMessage(text)];
  }

  #tellQueue(): void {
    this.emit({ type: 'queue_update', steering: [...this.#queue.steering], followUp: [...this.#queue.followUps] });
  }

  // --- Settings and entries ----------------------------------------------------------------------------------------

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
    return this.#conversation.write({ type: 'custom', customType, data }) ?? '';
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

  // --- The end -------------------------------------------------------------------------------------------------------

  /** Aborts what runs, tells the plugins, and closes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state === 'leaving' || this.#state === 'left') return;
    this.abort();
    this.#state = 'leaving';
    await this.waitForIdle();
    await this.view.enter(() => this.view.call(sessionShutdown, { sessionId: this.id, reason: 'quit' }));
    // A store that cannot write its last entries says so by its report.
    await this.#parts.store.close().catch(() => {});
    this.#state = 'left';
    if (this.view.session === this.handle) this.view.session = undefined;
    this.#parts.release();
    this.#listeners.clear();
  }

  #assertLive(): void {
    if (this.#state === 'left') throw staleSession();
  }
}

function userMessage(text: string, images: UserMessage['content'] = []): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }, ...images], timestamp: Date.now() };
}

/** What was left for the next prompt to take along. */
function noteMessage(text: string): CustomMessage {
  return {
    role: 'custom',
    customType: 'kern.note',
    content: [{ type: 'text', text }],
    display: true,
    timestamp: Date.now(),
  };
}

function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', stop));
}
