import type { SessionContext, SessionOptions } from 'kern/contracts';
import type { View } from 'kern/plugin';
import type { Broadcast } from './broadcast.ts';
import type { Conversation } from './conversation.ts';
import type { Runner } from './runner.ts';
import type { Compaction } from './session-compaction.ts';
import type { Gate } from './session-gate.ts';
import type { Choice } from './session-model.ts';
import type { Titler } from './title.ts';

/** What the parts of a session stand on. All of it stays when the session goes on in another file. */
export interface SessionGround {
  readonly view: View;
  readonly cwd: string;
  readonly gate: Gate;
  readonly broadcast: Broadcast;
  readonly conversation: Conversation;
  readonly choice: Choice;
  readonly runner: Runner;
  readonly compactor: Compaction;
  readonly titler: Titler;
  readonly options: Pick<SessionOptions, 'persist' | 'sessionDir' | 'whenBusy'>;
  /** Is told of each file that the session goes on in. */
  readonly opened: (context: SessionContext) => void;
}
