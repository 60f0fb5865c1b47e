import {
  agentBeforeStart,
  agentEnd,
  type CustomMessage,
  input as inputHook,
  inputText,
  type Message,
  type Model,
  type Prompt,
  type RunResult,
  type SessionStore,
  type ThinkingLevel,
  type UserMessage,
} from 'kern/contracts';
import { KernError, type View } from 'kern/plugin';
import type { Broadcast } from './broadcast.ts';
import type { Conversation } from './conversation.ts';
import type { Head } from './head.ts';
import { type LoopEnd, type LoopPort, runLoop, type Turn } from './loop.ts';
import { MessageQueue } from './queue.ts';
import { resultOf } from './result.ts';
import type { ToolSeam } from './tool-seam.ts';
import { pinnedTurn } from './turn.ts';

export interface RunnerParts {
  readonly sessionId: string;
  readonly view: View;
  readonly store: Pick<SessionStore, 'flush'>;
  readonly head: Head;
  readonly tools: ToolSeam;
  readonly conversation: Conversation;
  readonly broadcast: Broadcast;
  /** As they are when a turn begins. */
  readonly model: () => Model;
  readonly thinking: () => ThinkingLevel;
  /** How long a turn waits for queued plugin changes before it pins. */
  readonly settleMs: number;
  /** How long an aborted tool may take to end by itself. */
  readonly graceMs: number;
}

interface Run {
  readonly controller: AbortController;
  readonly started: number;
  /** Where its messages begin. */
  readonly from: number;
}

/** What a run starts with, or that a plugin took the input for itself. */
type Opening = { readonly messages: readonly Message[] } | { readonly handled: string };

/** The runs of a session, one at a time, and what waits to be said in them. */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #queue = new MessageQueue();
  #run: Run | undefined;
  #idle = Promise.resolve();
  #state: 'opening' | 'open' | 'closed' = 'opening';

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** From now on a message sent while nothing runs starts a run. */
  open(): void {
    this.#state = 'open';
  }

  /** Aborts what runs; nothing starts any more. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.abort();
    await this.waitForIdle();
  }

  get isIdle(): boolean {
    return this.#run === undefined && this.#queue.isEmpty;
  }

  async waitForIdle(): Promise<void> {
    while (this.#run !== undefined) await this.#idle;
  }

  prompt(prompt: Prompt): Promise<RunResult> {
    return this.#start(() => this.#opening(prompt));
  }

  send(text: string, as: 'steer' | 'followUp' | 'nextTurn'): void {
    if (as !== 'nextTurn' && this.#run === undefined && this.#state === 'open') {
      void this.#start(async () => ({ messages: [userMessage(text)] }));
      return;
    }
    this.#queue.add(text, as);
    this.#tellQueue();
  }

  /** What was queued is told for the last time before it is dropped: none of it may reach the next prompt. */
  abort(): void {
    if (!this.#queue.isEmpty) {
      this.#queue.drop();
      this.#tellQueue();
    }
    this.#run?.controller.abort();
  }

  async #start(open: () => Promise<Opening>): Promise<RunResult> {
    if (this.#run !== undefined) {
      throw new KernError('run_in_progress', 'this session is at work already', {
        hint: 'send the message with sendMessage (steer or followUp), or wait with waitForIdle',
      });
    }
    const { view, conversation } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    const run = { controller: new AbortController(), started: performance.now(), from: conversation.messages.length };
    this.#run = run;
    this.#idle = promise;
    const result = await view.enter(() => this.#drive(run, open));
    this.#run = undefined;
    resolve();
    // What came while the last words were written would else wait for a prompt that nobody announced.
    if (result.status === 'ok' && this.#state === 'open' && !this.#queue.isEmpty) {
      void this.#start(async () => ({ messages: this.#takeWaiting() }));
    }
    return result;
  }

  /** From the opening to the settled end. Never rejects. */
  async #drive(run: Run, open: () => Promise<Opening>): Promise<RunResult> {
    const { store, broadcast, conversation } = this.#parts;
    const { signal } = run.controller;
    let end: LoopEnd = { status: 'ok', turns: 0 };
    let said: string | undefined;
    try {
      const opening = await unlessAborted(open(), signal);
      if (opening === undefined) end = { status: 'aborted', turns: 0 };
      else if ('handled' in opening) said = opening.handled;
      else end = await this.#loops(opening.messages, signal);
    } catch (error) {
      end = { status: 'error', turns: 0, failure: error };
    }
    // What could not be written was told when it happened, and stays in memory.
    await store.flush().catch(() => {});
    if (said === undefined) broadcast.emit({ type: 'agent_settled', aborted: end.status === 'aborted' });
    const messages = conversation.messages.slice(run.from);
    return resultOf({ end, said, messages, durationMs: Math.round(performance.now() - run.started) });
  }

  /** A loop, and another while something that came at its very end waits. */
  async #loops(first: readonly Message[], signal: AbortSignal): Promise<LoopEnd> {
    const { view, broadcast, conversation, sessionId } = this.#parts;
    let turns = 0;
    for (let waiting = first; ; waiting = this.#takeWaiting()) {
      const from = conversation.messages.length;
      broadcast.emit({ type: 'agent_start' });
      let end: LoopEnd;
      try {
        end = await runLoop(waiting, this.#port(signal));
      } catch (error) {
        end = { status: 'error', turns: 0, failure: error };
      }
      view.call(agentEnd, { sessionId, status: end.status });
      broadcast.emit({ type: 'agent_end', messages: conversation.messages.slice(from) });
      turns += end.turns;
      if (end.status !== 'ok' || signal.aborted || this.#queue.isEmpty) return { ...end, turns };
    }
  }

  async #opening(prompt: Prompt): Promise<Opening> {
    const { view, head, settleMs } = this.#parts;
    const taken = await view.call(inputHook, { text: prompt.text, source: 'person' });
    if (taken !== undefined) return { handled: taken.say ?? '' };
    const { text, images } = await view.call(inputText, { text: prompt.text, images: prompt.images ?? [] });
    await view.settled(settleMs);
    await this.#makeHead();
    const before = await view.call(agentBeforeStart, { prompt: head.system, messages: [] });
    const notes = this.#queue.takeNextTurn().map(noteMessage);
    return { messages: [...notes, ...before.messages, userMessage(text, images)] };
  }

  /** The head stands in the session as it was sent, so that a resumed session can go on with the same bytes. */
  async #makeHead(): Promise<void> {
    const { view, head, conversation } = this.#parts;
    if (!(await head.make(view))) return;
    const toolsAdded = head.tools.map(({ name, description, inputSchema: parameters }) => ({
      name,
      description,
      parameters,
    }));
    conversation.write({
      type: 'message',
      message: { role: 'system', content: head.system, timestamp: Date.now(), toolsAdded },
    });
  }

  #port(signal: AbortSignal): LoopPort {
    return {
      signal,
      graceMs: this.#parts.graceMs,
      openTurn: () => this.#openTurn(signal),
      steering: () => this.#taken(this.#queue.takeSteering()),
      followUps: () => this.#taken(this.#queue.takeFollowUp()),
      emit: (event) => this.#parts.broadcast.emit(event),
    };
  }

  /** Waits for plugin changes under way, then pins: the turn sees one set of plugins from start to end. */
  async #openTurn(signal: AbortSignal): Promise<Turn> {
    const { view: outside, head, conversation, broadcast, tools, model, thinking, sessionId, settleMs } = this.#parts;
    await unlessAborted(outside.settled(settleMs), signal);
    await this.#makeHead();
    const view = outside.pin();
    broadcast.through(view);
    const release = (): void => {
      broadcast.through(undefined);
      view[Symbol.dispose]();
    };
    try {
      const notices = await head.changes(view);
      const { system: systemPrompt, tools: faces } = head;
      const request = { model: model(), thinking: thinking(), systemPrompt, tools: faces, sessionId };
      return pinnedTurn({ view, notices, request, conversation, tools, signal, release });
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
    const { steering, followUps } = this.#queue;
    this.#parts.broadcast.emit({ type: 'queue_update', steering: [...steering], followUp: [...followUps] });
  }
}

function userMessage(text: string, images: UserMessage['content'] = []): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }, ...images], timestamp: Date.now() };
}

/** What was left for the next prompt to take along. */
function noteMessage(text: string): CustomMessage {
  const content = [{ type: 'text' as const, text }];
  return { role: 'custom', customType: 'kern.note', content, display: true, timestamp: Date.now() };
}

/** What the work comes to; undefined as soon as the signal aborts, whatever the work does then. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  const stop = (): void => resolve(undefined);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', stop));
}
