import { context, type Message, type ModelRequest, models, tools } from 'kern/contracts';
import type { View } from 'kern/plugin';
import { valid } from './context.ts';
import type { Conversation } from './conversation.ts';
import type { Turn } from './loop.ts';
import type { ToolSeam } from './tool-seam.ts';

export interface TurnParts {
  /** Pinned: the turn's set of plugins. */
  readonly view: View;
  readonly notices: readonly Message[];
  /** Asked for each request: in the middle of a turn a fallback may change the model. */
  readonly request: () => Omit<ModelRequest, 'messages' | 'purpose'>;
  readonly conversation: Conversation;
  readonly tools: ToolSeam;
  readonly release: () => void;
}

/** A turn whose request, calls and hooks all go through one pinned view. */
export function pinnedTurn({ view, notices, request, conversation, tools: seam, release }: TurnParts): Turn {
  const { sessionId } = request();
  const isSequential = (name: string): boolean => view.use(tools).get(name)?.item.executionMode === 'sequential';
  return {
    get author() {
      const { provider, model } = request().model;
      return { api: provider, provider, model };
    },
    notices,
    enter: (fn) => view.enter(fn),
    request: async (signal) =>
      view
        .service(models)
        .stream({ ...request(), messages: await messagesOf(view, conversation), purpose: 'turn' }, signal),
    isSequential: (calls) =>
      view.setting('tools.execution') === 'sequential' || calls.some(({ name }) => isSequential(name)),
    prepare: (call, signal) =>
      seam.prepare(view, {
        name: call.name,
        args: call.arguments,
        callId: call.id,
        sessionId,
        by: 'model',
        signal,
      }),
    keep: (message) => conversation.keep(message, view),
    hide: (message) => {
      const entryId = conversation.entryIdOf(message);
      if (entryId !== undefined) conversation.hide(entryId);
    },
    release,
  };
}

/** The context of the next request, as the plugins leave it; what they left is made valid again, nothing of it is kept. */
async function messagesOf(view: View, conversation: Conversation): Promise<readonly Message[]> {
  const messages = conversation.context();
  if (view.taps(context) === 0) return messages;
  return valid((await view.call(context, { messages })).messages, messages);
}
