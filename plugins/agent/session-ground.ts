import type { SessionContext, SessionOptions, SessionStore } from 'kern/contracts';
import type { View } from 'kern/plugin';
import { Broadcast } from './broadcast.ts';
import { limitsOf, SessionBudget } from './budget.ts';
import { Conversation } from './conversation.ts';
import type { Head } from './head.ts';
import { Runner } from './runner.ts';
import { type Compaction, compactionOf } from './session-compaction.ts';
import { Gate } from './session-gate.ts';
import { Memory } from './session-memory.ts';
import { Choice } from './session-model.ts';
import { SessionName } from './session-name.ts';
import { type RestoredModel, restoredThinking } from './session-restore.ts';
import { settingsOf } from './settings.ts';
import { Titler } from './title.ts';
import type { ToolSeam } from './tool-seam.ts';

/** What a session is made of when it is opened. */
export interface SessionParts {
  readonly view: View;
  readonly cwd: string;
  readonly store: SessionStore;
  /** What its branch comes to. */
  readonly context: SessionContext;
  readonly model: RestoredModel;
  readonly options: Pick<
    SessionOptions,
    'persist' | 'sessionDir' | 'whenBusy' | 'thinking' | 'oneShot' | 'limits' | 'budget'
  >;
  readonly head: Head;
  readonly tools: ToolSeam;
  readonly settleMs: number;
  readonly graceMs: number;
  /** Undone when the session is left. */
  readonly release: () => void;
}

/** What the parts of a session stand on. All of it stays when the session goes on in another file. */
export interface SessionGround {
  readonly view: View;
  readonly cwd: string;
  readonly gate: Gate;
  readonly broadcast: Broadcast;
  readonly conversation: Conversation;
  readonly choice: Choice;
  readonly name: SessionName;
  readonly runner: Runner;
  readonly compactor: Compaction;
  readonly titler: Titler;
  readonly budget: SessionBudget;
  readonly options: SessionParts['options'];
  /** Is told of each file that the session goes on in. */
  readonly opened: (context: SessionContext) => void;
}

/** Puts the parts together. `opened` is told of each file that the session goes on in. */
export function groundOf(parts: SessionParts, opened: () => void): SessionGround {
  const { view, cwd, store, head, options } = parts;
  const gate = new Gate(() => runner.startWaiting());
  const settings = settingsOf(view);
  const sessionId = (): string => conversation.store.header.id;
  const budget = new SessionBudget(() => limitsOf(options.limits, settings().budget), options.budget);
  const broadcast = new Broadcast(
    view,
    sessionId,
    gate,
    (event) => budget.heard(event, choice.model.cost),
    () => conversation.store.file,
  );
  const memory = new Memory();
  const conversation = new Conversation(store, broadcast, (context) => {
    head.resume(context);
    memory.forget();
  });
  const wanted = options.thinking ?? restoredThinking(view, { thinking: undefined });
  const choice = new Choice({ conversation, broadcast, sessionId }, parts.model.model, wanted);
  const name = new SessionName(conversation, broadcast);
  const compactor = compactionOf({ conversation, broadcast, choice, head, settings, sessionId });
  const titler = new Titler({
    view,
    sessionId,
    model: () => choice.model,
    settings: () => settings().title,
    isOneShot: options.oneShot === true,
    isNamed: () => name.value !== undefined,
    name: (title) => name.change(title),
    paid: (cost) => budget.pay(cost),
  });
  const common = { view, gate, broadcast, conversation, choice, compactor, titler, budget };
  const runner = new Runner({ ...parts, ...common, memory, sessionId, settings });
  return {
    ...common,
    cwd,
    name,
    runner,
    options,
    opened: (context) => {
      name.opened(context.name);
      opened();
    },
  };
}
