import { AsyncLocalStorage } from 'node:async_hooks';
import {
  agentBeforeEnd,
  agentBeforeStart,
  agentEnd,
  inputText,
  type Message,
  models,
  type Prompt,
  type RunResult,
} from 'kern/contracts';
import { KernError, type QueuedTexts, type SendAs } from 'kern/plugin';
import type { RunClock, SessionBudget } from './budget.ts';
import { Interruption } from './interruption.ts';
import { type LoopEnd, type LoopPort, runLoop } from './loop.ts';
import { MessageQueue } from './queue.ts';
import { noteMessage, promptMessages } from './queue-messages.ts';
import { resultOf } from './result.ts';
import { Recovery } from './retry/recovery.ts';
import { unlessAborted } from './runner-abort.ts';
import { type Offer, offered, openOffer, timed } from './runner-offer.ts';
import { makeHead, openTurn, type TurnGround } from './runner-turn.ts';
import type { Compaction } from './session-compaction.ts';
import type { Gate, Work } from './session-gate.ts';
import type { AgentSettings } from './settings.ts';
import type { Titler } from './title.ts';

export interface RunnerParts extends TurnGround {
  readonly gate: Gate;
  readonly compactor: Compaction;
  readonly titler: Titler;
  readonly budget: SessionBudget;
  /** As they are when they are asked for. */
  readonly settings: () => AgentSettings;
  /** How long an aborted tool may take to end by itself. */
  readonly graceMs: number;
}

interface Run extends Work {
  readonly controller: AbortController;
  readonly started: number;
}

/** What a run starts with. */
interface Opening {
  readonly messages: readonly Message[];
}

/** The runs of a session, one at a time, and what waits to be said in them. */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #queue = new MessageQueue();
  readonly #recovery: Recovery;
  #run: Run | undefined;
  #offer: Offer | undefined;
  /** What is done by those who look at a prompt. */
  readonly #inOffer = new AsyncLocalStorage<Offer>();
  /** Of the reply that is being given. */
  #interrupted = new AbortController();
  #idle = Promise.resolve();
  #state: 'held' | 'open' | 'closed' = 'held';

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#recovery = recoveryOf(parts);
  }

  /** From now on a message sent while nothing runs starts a run. */
  open(): void {
    if (this.#state === 'held') this.#state = 'open';
  }

  /** Aborts what runs. Until it is opened again nothing starts: what is sent waits. */
  async hold(): Promise<void> {
    if (this.#state === 'open') this.#state = 'held';
    this.abort();
    while (this.#run !== undefined) await this.#idle;
  }

  /** What was sent while nothing could start starts a run. */
  startWaiting(): void {
    if (this.#run !== undefined || !this.#isFree || this.#state !== 'open' || this.#queue.isEmpty) return;
    void this.#start(async () => ({ messages: this.#takeWaiting() }));
  }

  /** Aborts what runs; nothing starts any more. */
  async close(): Promise<void> {
    this.#state = 'closed';
    await this.hold();
  }

  get isIdle(): boolean {
    return this.#run === undefined && this.#isFree && this.#queue.isEmpty;
  }

  /** No prompt is being looked at, but by the one who asks. */
  get #isFree(): boolean {
    return this.#offer === undefined || this.#offer === this.#inOffer.getStore();
  }

  async waitForIdle(): Promise<void> {
    this.#parts.gate.assertOutside('waitForIdle');
    for (;;) {
      await this.#parts.gate.settled();
      if (!this.#isFree) await this.#offer?.over;
      // What a command has sent.
      else if (this.#offer !== undefined) this.startWaiting();
      if (this.#run === undefined && this.#isFree) return;
      await this.#idle;
    }
  }

  /** Plugins have the first word, outside of the run: a command may leave the session, or wait until it is idle. */
  async prompt(prompt: Prompt): Promise<RunResult> {
    this.#assertNothingRuns();
    const offer = openOffer();
    this.#offer = offer;
    const result = await this.#inOffer.run(offer, () => offered(prompt, offer, this.#parts));
    this.#offer = undefined;
    offer.end();
    if (result === undefined) {
      // What a plugin sent meanwhile, and waited for.
      while (this.#run !== undefined) await this.#idle;
      return this.#start(() => this.#opening(prompt));
    }
    if (result.status === 'ok' && !this.#parts.gate.isChanging) this.startWaiting();
    return result;
  }

  send(prompt: Prompt, as: SendAs): void {
    const mayStart = this.#state === 'open' && !this.#parts.gate.isChanging;
    if (as !== 'nextTurn' && this.#run === undefined && this.#offer === undefined && mayStart) {
      void this.#start(async () => ({ messages: promptMessages(prompt) }));
      return;
    }
    // What comes while an aborted run winds down is no part of it: it rides along with the next prompt.
    this.#queue.add(prompt, this.#run?.controller.signal.aborted === true ? 'nextTurn' : as);
    this.#tellQueue();
    if (as === 'interrupt') this.#interrupted.abort(prompt.by === undefined ? undefined : new Interruption(prompt.by));
  }

  queue(): QueuedTexts {
    return this.#queue.texts();
  }

  /** What was queued is handed back, and reaches no later prompt. */
  abort(): QueuedTexts {
    const hadSome = !this.#queue.isEmpty;
    const dropped = this.#queue.drop();
    if (hadSome) this.#tellQueue();
    this.#run?.controller.abort();
    // A command goes on that leaves the session, or ends what runs.
    if (!this.#isFree) this.#offer?.controller.abort();
    return dropped;
  }

  #assertNothingRuns(): void {
    if (this.#run === undefined && this.#offer === undefined) return;
    throw new KernError('run_in_progress', 'this session is at work already', {
      hint: 'send the message with sendMessage (steer or followUp), or wait with waitForIdle',
    });
  }

  async #start(open: () => Promise<Opening>): Promise<RunResult> {
    const { view, gate } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    const run: Run = { controller: new AbortController(), started: performance.now(), isOver: false };
    this.#run = run;
    this.#idle = promise;
    const result = await gate.inside(run, () => view.enter(() => this.#drive(run, open)));
    run.isOver = true;
    this.#run = undefined;
    resolve();
    // What came while the last words were written would else wait for a prompt that nobody announced.
    if (result.status === 'ok' && !gate.isChanging) this.startWaiting();
    return result;
  }

  /** From the opening to the settled end. Never rejects. */
  async #drive(run: Run, open: () => Promise<Opening>): Promise<RunResult> {
    const { broadcast, conversation } = this.#parts;
    const { signal } = run.controller;
    using heard = conversation.hear();
    using clock = this.#parts.budget.run(() => run.controller.abort());
    let end: LoopEnd = { status: 'ok', turns: 0 };
    try {
      const opening = await unlessAborted(open(), signal);
      if (opening === undefined) end = { status: 'aborted', turns: 0 };
      else end = await this.#loops(opening.messages, heard.messages, signal, clock);
    } catch (error) {
      end = { status: 'error', turns: 0, failure: error };
    }
    end = timed(end, clock, this.#parts.budget);
    // What could not be written was told when it happened, and stays in memory.
    await conversation.store.flush().catch(() => {});
    broadcast.emit({ type: 'agent_settled', aborted: end.status === 'aborted' });
    const durationMs = Math.round(performance.now() - run.started);
    return resultOf({ end, said: undefined, messages: heard.messages, durationMs });
  }

  /** A loop, and another while something that came at its very end waits. */
  async #loops(
    first: readonly Message[],
    heard: readonly Message[],
    signal: AbortSignal,
    clock: RunClock,
  ): Promise<LoopEnd> {
    const { view, broadcast, compactor, choice, sessionId } = this.#parts;
    let turns = 0;
    for (let waiting = first; ; waiting = this.#takeWaiting()) {
      const from = heard.length;
      await this.#recovery.restore(signal);
      choice.settle();
      broadcast.emit({ type: 'agent_start' });
      let end: LoopEnd;
      try {
        await compactor.beforePrompt(signal);
        end = await runLoop(waiting, this.#port(signal));
      } catch (error) {
        end = signal.aborted ? { status: 'aborted', turns: 0 } : { status: 'error', turns: 0, failure: error };
      }
      end = timed(end, clock, this.#parts.budget);
      view.call(agentEnd, { sessionId: sessionId(), status: end.status });
      broadcast.emit({ type: 'agent_end', messages: heard.slice(from) });
      turns += end.turns;
      if (end.status !== 'ok' || signal.aborted || this.#queue.isEmpty) return { ...end, turns };
    }
  }

  async #opening(prompt: Prompt): Promise<Opening> {
    const { view, head, settleMs } = this.#parts;
    const { text, images } = await view.call(inputText, { text: prompt.text, images: prompt.images ?? [] });
    await view.settled(settleMs);
    await makeHead(this.#parts);
    const before = await view.call(agentBeforeStart, { prompt: head.system, messages: [] });
    const notes = this.#queue.takeNextTurn().map(noteMessage);
    return { messages: [...notes, ...before.messages, ...promptMessages({ ...prompt, text, images })] };
  }

  #port(signal: AbortSignal): LoopPort {
    const { graceMs, compactor, settings, broadcast, conversation, titler, budget, choice, view, sessionId } =
      this.#parts;
    let asked: Promise<void> | undefined;
    return {
      signal,
      graceMs,
      beforeTurn: async (index) => {
        // Before the first turn the prompt itself was the moment.
        if (index > 0) await compactor.beforeTurn(signal);
      },
      openTurn: () => openTurn(this.#parts, signal),
      attempts: () => this.#recovery.attempts(),
      interrupts: () => this.#said(this.#queue.takeInterrupts()),
      interrupted: () => {
        this.#interrupted = new AbortController();
        return this.#interrupted.signal;
      },
      steering: () => this.#said(this.#queue.takeSteering(settings().steeringMode)),
      followUps: () => this.#said(this.#queue.takeFollowUps(settings().followUpMode)),
      beforeEnd: async (message, continued) => {
        if (view.taps(agentBeforeEnd) === 0) return [];
        const answer = await unlessAborted(
          view.call(agentBeforeEnd, { sessionId: sessionId(), message, continued }),
          signal,
        );
        if (answer === undefined) return [];
        return promptMessages({ text: answer.goOn, custom: { customType: 'kern.go-on', display: true } });
      },
      isWaiting: () => !this.#queue.isEmpty,
      // Once a run: what follows is no worse off than what was said before it.
      beforeCalls: () => {
        asked ??= conversation.store.flush().catch(() => {});
        return asked;
      },
      limit: () => budget.over(choice.model),
      emit: (event) => {
        if (event.type === 'turn_start') budget.turnBegins();
        broadcast.emit(event);
        if (event.type === 'turn_end') titler.turnEnded(conversation.messages);
      },
    };
  }

  #takeWaiting(): readonly Message[] {
    const { steeringMode, followUpMode } = this.#parts.settings();
    const first = [...this.#queue.takeInterrupts(), ...this.#queue.takeSteering(steeringMode)];
    return this.#said(first.length > 0 ? first : this.#queue.takeFollowUps(followUpMode));
  }

  #said(taken: readonly Prompt[]): readonly Message[] {
    if (taken.length > 0) this.#tellQueue();
    return taken.flatMap(promptMessages);
  }

  #tellQueue(): void {
    this.#parts.broadcast.emit({ type: 'queue_update', ...this.#queue.texts() });
  }
}

function recoveryOf({ view, broadcast, choice, compactor, conversation, head, settings }: RunnerParts): Recovery {
  return new Recovery({
    settings: () => settings().retry,
    emit: (event) => broadcast.emit(event),
    model: () => choice.model,
    useModel: (model, reason, asFallback) =>
      asFallback ? choice.standIn(model, reason) : choice.select(model, reason, choice.wanted),
    resolve: async (id, signal) => {
      const { model } = await view.service(models).find(id, signal);
      if (model.available) return model;
      throw new KernError('model_unavailable', 'its key or its server is missing');
    },
    makeRoom: (signal) => compactor.afterOverflow(signal),
    load: () => ({ systemPrompt: head.system, tools: head.tools, messages: conversation.context() }),
  });
}
