import type { ModelRequest } from 'kern/contracts';
import type { View } from 'kern/plugin';
import type { Broadcast } from './broadcast.ts';
import type { Conversation } from './conversation.ts';
import type { Head } from './head.ts';
import type { Turn } from './loop.ts';
import { unlessAborted } from './runner-abort.ts';
import type { Memory } from './session-memory.ts';
import type { Choice } from './session-model.ts';
import type { ToolSeam } from './tool-seam.ts';
import { pinnedTurn } from './turn.ts';

export interface TurnGround {
  readonly sessionId: () => string;
  readonly view: View;
  readonly head: Head;
  readonly tools: ToolSeam;
  readonly conversation: Conversation;
  readonly broadcast: Broadcast;
  readonly choice: Choice;
  readonly memory: Memory;
  /** How long a turn waits for queued plugin changes before it pins. */
  readonly settleMs: number;
}

/** Waits for plugin changes under way, then pins: the turn sees one set of plugins from start to end. */
export async function openTurn(ground: TurnGround, signal: AbortSignal): Promise<Turn> {
  const { view: outside, head, conversation, broadcast, tools, choice, sessionId, settleMs } = ground;
  await unlessAborted(outside.settled(settleMs), signal);
  await makeHead(ground);
  const view = outside.pin();
  broadcast.through(view);
  const release = (): void => {
    broadcast.through(undefined);
    view[Symbol.dispose]();
  };
  try {
    const notices = await head.changes(view);
    const { system: systemPrompt, tools: faces } = head;
    const id = sessionId();
    const request = (): Omit<ModelRequest, 'messages' | 'purpose'> => {
      const { model, thinking } = choice;
      const state = ground.memory.for(model.id);
      return { model, thinking, systemPrompt, tools: faces, sessionId: id, state };
    };
    return pinnedTurn({ view, notices, request, conversation, tools, release });
  } catch (error) {
    release();
    throw error;
  }
}

/** The head stands in the session as it was sent, so that a resumed session can go on with the same bytes. */
export async function makeHead({
  head,
  view,
  conversation,
}: Pick<TurnGround, 'head' | 'view' | 'conversation'>): Promise<void> {
  const message = await head.make(view);
  if (message !== undefined) conversation.write({ type: 'message', message });
}
