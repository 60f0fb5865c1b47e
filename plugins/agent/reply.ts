import type { AssistantMessage, StreamEvent, TextContent, ThinkingContent, ToolCall } from 'kern/contracts';
import { codeOf, KernError, messageOf } from 'kern/plugin';
import { noUsage } from './usage.ts';

/** Everything of a stream but its end. */
export type StreamUpdate = Exclude<StreamEvent, { type: 'done' }>;

export interface ReplyPort {
  readonly signal: AbortSignal;
  /** The first sign of a reply: a message without content yet. */
  started(message: AssistantMessage): void;
  update(event: StreamUpdate): void;
}

/** Who answers, for messages that the provider could not finish. */
export type Author = Pick<AssistantMessage, 'api' | 'provider' | 'model'>;

export interface Reply {
  readonly message: AssistantMessage;
  /** What the stream threw, when that ended it. */
  readonly failure: unknown;
}

/**
 * Reads one reply. Never rejects: a stream that throws becomes a message with `stopReason: 'error'`, an abort one with
 * `aborted`; both keep the text so far and the tool calls that were complete. An abort is answered at once, also by a
 * provider that does not listen to the signal.
 */
export async function readReply(
  open: () => Promise<AsyncIterable<StreamEvent>>,
  author: Author,
  port: ReplyPort,
): Promise<Reply> {
  const draft = new Draft();
  const timestamp = Date.now();
  const unfinished = (rest: Pick<AssistantMessage, 'stopReason'> & Partial<AssistantMessage>): AssistantMessage => ({
    role: 'assistant',
    content: distinctCalls(draft.content()),
    ...author,
    usage: noUsage,
    timestamp,
    ...rest,
  });
  let started = false;
  const begin = (): void => {
    if (started) return;
    started = true;
    port.started({ role: 'assistant', content: [], ...author, usage: noUsage, stopReason: 'stop', timestamp });
  };
  let finished: AssistantMessage | undefined;
  let failure: unknown;
  try {
    await untilAborted(port.signal, open, (event) => {
      begin();
      if (event.type === 'done') {
        finished = event.message;
        return;
      }
      draft.take(event);
      port.update(event);
    });
    if (finished === undefined && !port.signal.aborted)
      throw new KernError('model_disconnected', 'the reply ended before it was complete', {
        hint: 'try again; if it stays so, the provider or a proxy in between cuts replies short',
      });
  } catch (error) {
    failure = error;
  }
  begin();
  if (finished !== undefined) return { message: withDistinctCalls(finished), failure: failureOf(finished) };
  if (port.signal.aborted)
    return { message: unfinished({ stopReason: 'aborted', errorMessage: 'aborted' }), failure: undefined };
  return {
    message: unfinished({
      stopReason: 'error',
      errorMessage: messageOf(failure),
      errorCode: codeOf(failure) ?? 'model_failed',
    }),
    failure,
  };
}

/** A provider may also say in the message itself that it failed. */
function failureOf({ stopReason, errorCode, errorMessage }: AssistantMessage): unknown {
  return stopReason === 'error' || stopReason === 'aborted'
    ? new KernError(errorCode ?? 'model_failed', errorMessage ?? 'the model failed without a reason')
    : undefined;
}

/** Some servers give their calls no id, or the same: each result must find its own call. */
function distinctCalls(content: AssistantMessage['content']): AssistantMessage['content'] {
  const seen = new Set<string>();
  return content.map((part) => {
    if (part.type !== 'toolCall') return part;
    let id = part.id === '' ? 'call' : part.id;
    for (let nth = 2; seen.has(id); nth += 1) id = `${part.id === '' ? 'call' : part.id}_${nth}`;
    seen.add(id);
    return id === part.id ? part : { ...part, id };
  });
}

function withDistinctCalls(message: AssistantMessage): AssistantMessage {
  const ids = message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []));
  const areDistinct = !ids.includes('') && new Set(ids).size === ids.length;
  return areDistinct ? message : { ...message, content: distinctCalls(message.content) };
}

/** Hands on every event until the stream ends or the signal aborts. Nothing is raced per event: deltas are many. */
function untilAborted(
  signal: AbortSignal,
  open: () => Promise<AsyncIterable<StreamEvent>>,
  take: (event: StreamEvent) => void,
): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isOpen = true;
  const close = (): void => {
    isOpen = false;
    signal.removeEventListener('abort', close);
    resolve();
  };
  signal.addEventListener('abort', close, { once: true });
  const pump = async (): Promise<void> => {
    const stream = await open();
    if (!isOpen) return;
    for await (const event of stream) {
      // Leaving the loop also tells the stream to end.
      if (!isOpen) return;
      take(event);
    }
  };
  pump().then(close, (error) => {
    signal.removeEventListener('abort', close);
    // After an abort nobody listens any more, and what a torn stream throws then is no news.
    reject(error);
  });
  return promise;
}

type Block =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature: string | undefined; ended: boolean }
  | { readonly type: 'toolCall'; call: ToolCall | undefined };

/** The reply so far, by block. Text grows by concatenation, which V8 does without copying. */
class Draft {
  readonly #blocks: (Block | undefined)[] = [];

  take(event: StreamUpdate): void {
    const at = event.contentIndex;
    switch (event.type) {
      case 'text_start':
        this.#blocks[at] = { type: 'text', text: '' };
        break;
      case 'thinking_start':
        this.#blocks[at] = { type: 'thinking', text: '', signature: undefined, ended: false };
        break;
      case 'text_delta':
      case 'thinking_delta': {
        const block = this.#blocks[at];
        if (block !== undefined && block.type !== 'toolCall') block.text += event.delta;
        break;
      }
      case 'text_end':
        this.#blocks[at] = { type: 'text', text: event.content };
        break;
      case 'thinking_end':
        this.#blocks[at] = { type: 'thinking', text: event.content, signature: event.signature, ended: true };
        break;
      case 'toolcall_start':
        this.#blocks[at] = { type: 'toolCall', call: undefined };
        break;
      case 'toolcall_end':
        this.#blocks[at] = { type: 'toolCall', call: event.toolCall };
        break;
      case 'toolcall_delta':
        break;
    }
  }

  /** What is worth keeping: a tool call only when it was complete. */
  content(): AssistantMessage['content'] {
    const content: (TextContent | ThinkingContent | ToolCall)[] = [];
    for (const block of this.#blocks) {
      if (block === undefined) continue;
      if (block.type === 'toolCall') {
        if (block.call !== undefined) content.push(block.call);
      } else if (block.text !== '') {
        if (block.type === 'text') content.push({ type: 'text', text: block.text });
        else
          content.push({
            type: 'thinking',
            thinking: block.text,
            ...(block.signature === undefined ? {} : { thinkingSignature: block.signature }),
          });
      }
    }
    return content;
  }
}
