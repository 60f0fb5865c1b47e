import {
  type AgentEvent,
  messageUpdate,
  type StoreReport,
  sessionSwitch,
  sessionWriteFailed,
  sessionWriteRestored,
} from 'kern/contracts';
import type { View } from 'kern/plugin';
import type { Gate } from './session-gate.ts';
import { tellPlugins } from './tell.ts';

/** Who hears of a session: plugins through their hooks, and whoever subscribed. During a turn plugins are those it pinned. */
export class Broadcast {
  readonly #sessionId: () => string;
  readonly #file: () => string | undefined;
  readonly #outside: View;
  readonly #gate: Gate;
  /** Hears of everything but the pieces of replies, before anybody else. */
  readonly #first: ((event: AgentEvent) => void) | undefined;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  /** What was to be told when nobody could have subscribed yet, until the first run. */
  #unheard: AgentEvent[] | undefined = [];
  #turn: View | undefined;
  #hearsUpdates = true;

  constructor(
    view: View,
    sessionId: () => string,
    gate: Gate,
    first?: (event: AgentEvent) => void,
    file: () => string | undefined = () => undefined,
  ) {
    this.#file = file;
    this.#first = first;
    this.#outside = view;
    this.#sessionId = sessionId;
    this.#gate = gate;
  }

  /** Through which plugins are told now. */
  get view(): View {
    return this.#turn ?? this.#outside;
  }

  /** A turn begins with its pinned view, or ends. */
  through(turn: View | undefined): void {
    this.#turn = turn;
    // Updates come by the thousand, and a pinned view has the same taps for all of them.
    this.#hearsUpdates = turn === undefined || turn.taps(messageUpdate) > 0;
  }

  subscribe(listener: (event: AgentEvent) => void): { dispose(): void } {
    this.#listeners.add(listener);
    // In a step of its own: whoever subscribes has what is answered in hand by then.
    const before = this.#unheard?.slice() ?? [];
    if (before.length > 0)
      queueMicrotask(() => {
        for (const event of this.#listeners.has(listener) ? before : []) this.#tell(listener, event);
      });
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  /** Tells what happened while the session was opened, also to whoever subscribes before the first run. */
  announce(event: AgentEvent): void {
    this.emit(event);
    this.#unheard?.push(event);
  }

  emit(event: AgentEvent): void {
    if (event.type === 'agent_start') this.#unheard = undefined;
    if (event.type !== 'message_update') this.#first?.(event);
    if (event.type !== 'message_update' || this.#hearsUpdates) tellPlugins(this.view, this.#sessionId(), event);
    for (const listener of this.#listeners) this.#tell(listener, event);
  }

  /** The fault of a listener is its own: it surfaces by itself, and the run goes on. */
  #tell(listener: (event: AgentEvent) => void, event: AgentEvent): void {
    try {
      this.#gate.outside(() => listener(event));
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  report(report: StoreReport): void {
    if (report.type === 'write-failed') {
      const { error, pending } = report;
      this.view.call(sessionWriteFailed, { error, pending });
      this.announce({ type: 'session_write_failed', error, pending });
    } else if (report.type === 'moved') {
      const sessionId = this.#sessionId();
      this.view.call(sessionSwitch, { sessionId, previous: report.previous, reason: 'fork' });
      this.announce({ type: 'session_switched', reason: 'fork', sessionId, sessionFile: this.#file() });
    } else {
      const { written } = report;
      this.view.call(sessionWriteRestored, { written });
      this.announce({ type: 'session_write_restored', written });
    }
  }

  close(): void {
    this.#listeners.clear();
    this.#unheard = undefined;
  }
}
