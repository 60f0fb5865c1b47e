import type { AssistantMessage, ContextMessage, Message, Model, SessionStore, ToolFace } from 'kern/contracts';

/** Bytes of UTF-8 a token: four letters of English, one or two signs of Chinese. */
const bytesPerToken = 4;
/** What wires count for a picture of usual size, within a few hundred. */
export const imageTokens = 1_200;

export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** What stands before the conversation in every request. */
export interface SentHead {
  readonly system: string;
  readonly tools: readonly ToolFace[];
}

/** A context as it is measured. */
export interface Measured {
  readonly tokens: number;
  /** The same by estimate alone. */
  readonly estimate: number;
  /** How many real tokens an estimated one is; 1 while no reply has counted. */
  readonly ratio: number;
}

/** Estimates, each made once for a message: a history of thousands is not read again in every turn. */
export class Tokens {
  readonly #known = new WeakMap<Message, number>();
  readonly #faces = new WeakMap<readonly ToolFace[], number>();
  #last: { readonly before: readonly ContextMessage[]; readonly tokens: number } = { before: [], tokens: 0 };

  of(message: Message): number {
    let tokens = this.#known.get(message);
    if (tokens === undefined) {
      tokens = estimate(message);
      this.#known.set(message, tokens);
    }
    return tokens;
  }

  sum(entries: readonly ContextMessage[], from = 0, to = entries.length): number {
    let tokens = 0;
    for (let at = from; at < to; at += 1) tokens += this.of((entries[at] as ContextMessage).message);
    return tokens;
  }

  /** The whole context. Between two calls it mostly grew at its end: then only that is added. */
  all(entries: readonly ContextMessage[]): number {
    const { before, tokens: sum } = this.#last;
    const goesOn = before.length <= entries.length && before.every((entry, at) => entry === entries[at]);
    const tokens = goesOn ? sum + this.sum(entries, before.length) : this.sum(entries);
    this.#last = { before: entries, tokens };
    return tokens;
  }

  head({ system, tools }: SentHead): number {
    return textTokens(system) + this.tools(tools);
  }

  tools(tools: readonly ToolFace[]): number {
    let tokens = this.#faces.get(tools);
    if (tokens === undefined) {
      tokens = tools.reduce((sum, tool) => sum + faceTokens(tool), 0);
      this.#faces.set(tools, tokens);
    }
    return tokens;
  }

  /**
   * What the next request carries. The last reply of this model counted what was there then; what came after it is
   * estimated. Without such a count all of it is.
   */
  measure(
    entries: readonly ContextMessage[],
    head: SentHead,
    model: Model,
    store: Pick<SessionStore, 'leaf' | 'entry'>,
  ): Measured {
    const estimated = this.head(head) + this.all(entries);
    const at = entries.findLastIndex(({ message }) => hasCounted(message, model));
    const counted = entries[at];
    if (counted?.message.role !== 'assistant' || counted.entryId === undefined || !isFresh(counted.entryId, store))
      return { tokens: estimated, estimate: estimated, ratio: 1 };
    const tail = this.sum(entries, at + 1);
    const { totalTokens } = counted.message.usage;
    const ratio = totalTokens / Math.max(1, estimated - tail);
    return { tokens: totalTokens + tail, estimate: estimated, ratio: Math.min(4, Math.max(0.5, ratio)) };
  }
}

function hasCounted(message: Message, model: Model): message is AssistantMessage {
  return (
    message.role === 'assistant' &&
    message.usage.totalTokens > 0 &&
    message.stopReason !== 'error' &&
    message.stopReason !== 'aborted' &&
    message.provider === model.provider &&
    message.model === model.model
  );
}

/**
 * Whether what a reply counted still is the context: nothing before it was summarised, left out or brought back since.
 * The way from the leaf to a last reply is short.
 */
function isFresh(replyId: string, store: Pick<SessionStore, 'leaf' | 'entry'>): boolean {
  const since = new Set<string>();
  const edited: string[] = [];
  for (let id = store.leaf; id !== null && id !== replyId; ) {
    const entry = store.entry(id);
    if (entry === undefined || entry.type === 'compaction') return false;
    if (entry.type === 'custom' && entry.customType === undoneType) return false;
    if (entry.type === 'context_edit') edited.push(entry.targetId);
    since.add(id);
    id = entry.parentId;
  }
  return edited.every((id) => since.has(id));
}

/** A `custom` entry that says which compaction, and which edits of the context, no longer count. Whoever reads the session knows it. */
export const undoneType = 'kern.compaction-undone';

function estimate(message: Message): number {
  let tokens = 0;
  for (const part of message.content) {
    switch (part.type) {
      case 'text':
        tokens += textTokens(part.text);
        break;
      case 'thinking':
        tokens += textTokens(part.thinking);
        break;
      case 'image':
        tokens += imageTokens;
        break;
      case 'toolCall':
        tokens += textTokens(part.name) + textTokens(part.invalidArguments ?? JSON.stringify(part.arguments));
        break;
    }
  }
  return tokens;
}

function faceTokens({ name, description, inputSchema }: ToolFace): number {
  return textTokens(name) + textTokens(description) + textTokens(JSON.stringify(inputSchema));
}
