import type { CompactionResult } from 'kern/contracts';
import type { Broadcast } from './broadcast.ts';
import { Compactor } from './compaction/compactor.ts';
import type { Conversation } from './conversation.ts';
import type { Head } from './head.ts';
import type { Choice } from './session-model.ts';
import type { AgentSettings } from './settings.ts';

export interface CompactionGround {
  readonly conversation: Conversation;
  readonly broadcast: Broadcast;
  readonly choice: Choice;
  readonly head: Head;
  readonly settings: () => AgentSettings;
  readonly sessionId: () => string;
}

/** What a session needs of compaction. */
export interface Compaction {
  /** Makes room where there is too little, before a prompt is said and between turns. */
  beforePrompt(signal: AbortSignal): Promise<void>;
  beforeTurn(signal: AbortSignal): Promise<void>;
  /** A request was too big. Answers whether it is worth asking again. */
  afterOverflow(signal: AbortSignal): Promise<boolean>;
  compact(
    options: {
      readonly instructions?: string | undefined;
      readonly strategy?: string | undefined;
      readonly model?: string | undefined;
      readonly preview?: boolean | undefined;
    },
    signal: AbortSignal,
  ): Promise<CompactionResult>;
  undo(): Promise<void>;
  /** What the next request carries. */
  contextTokens(): number;
  /** What is left by going from one leaf to another, told in a few words. */
  summarizeBranch(
    way: { readonly from: string | null; readonly to: string | null; readonly instructions: string | undefined },
    signal: AbortSignal,
  ): Promise<string>;
}

export function compactionOf({
  conversation,
  broadcast,
  choice,
  head,
  settings,
  sessionId,
}: CompactionGround): Compaction {
  return new Compactor({
    view: () => broadcast.view,
    conversation,
    store: () => conversation.store,
    model: () => choice.model,
    head: () => head,
    broadcast,
    sessionId,
    settings,
  });
}
