import type {
  AssistantMessage,
  ContextMessage,
  ForeignEntry,
  Message,
  Model,
  SessionEntry,
  SessionStore,
  ToolFace,
} from 'kern/contracts';

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

/** The last reply of a model that counted, among the first entries of a context. */
interface Counted {
  readonly by: string;
  /** How many entries were looked at. */
  readonly among: number;
  /** -1 where none has. */
  readonly at: number;
}

/** Whether a count still counts, as far as the branch was followed. */
interface Followed {
  readonly store: Pick<SessionStore, 'leaf' | 'entry'>;
  readonly replyId: string;
  readonly leaf: string | null;
  readonly isFresh: boolean;
  /** What came after the reply. */
  readonly since: Set<string>;
}

/**
 * Estimates, each made once for a message. Between two turns a context mostly grows at its end: then only what came is
 * looked at, however long the history is and whether or not replies count.
 */
export class Tokens {
  readonly #known = new WeakMap<Message, number>();
  readonly #faces = new WeakMap<ToolFace, number>();
  /** The context that was measured last, and the sum before each of its entries; one more for the whole. */
  #last: readonly ContextMessage[] = [];
  readonly #sums = [0];
  #counted: Counted | undefined;
  #followed: Followed | undefined;

  of(message: Message): number {
    let tokens = this.#known.get(message);
    if (tokens === undefined) {
      tokens = messageTokens(message);
      this.#known.set(message, tokens);
    }
    return tokens;
  }

  sum(entries: readonly ContextMessage[], from = 0, to = entries.length): number {
    let tokens = 0;
    for (let at = from; at < to; at += 1) tokens += this.of((entries[at] as ContextMessage).message);
    return tokens;
  }

  /** The whole context. */
  all(entries: readonly ContextMessage[]): number {
    const same = sameUpTo(this.#last, entries);
    this.#sums.length = same + 1;
    for (let at = same; at < entries.length; at += 1)
      this.#sums.push(this.#sumBefore(at) + this.of((entries[at] as ContextMessage).message));
    this.#last = entries;
    this.#forgetFrom(same);
    return this.#sumBefore(entries.length);
  }

  #forgetFrom(same: number): void {
    const counted = this.#counted;
    if (counted === undefined || counted.among <= same) return;
    this.#counted = counted.at < same ? { ...counted, among: same } : undefined;
  }

  #sumBefore(at: number): number {
    return this.#sums[at] as number;
  }

  head({ system, tools }: SentHead): number {
    return textTokens(system) + this.tools(tools);
  }

  /** The list is another one in each turn, the faces in it are the same. */
  tools(tools: readonly ToolFace[]): number {
    return tools.reduce((sum, tool) => sum + this.#face(tool), 0);
  }

  #face(tool: ToolFace): number {
    let tokens = this.#faces.get(tool);
    if (tokens === undefined) {
      tokens = faceTokens(tool);
      this.#faces.set(tool, tokens);
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
    const at = this.#lastCounted(entries, model);
    const counted = entries[at];
    if (
      counted?.message.role !== 'assistant' ||
      counted.entryId === undefined ||
      !this.#isFresh(counted.entryId, store)
    )
      return { tokens: estimated, estimate: estimated, ratio: 1 };
    const tail = this.#sumBefore(entries.length) - this.#sumBefore(at + 1);
    const { totalTokens } = counted.message.usage;
    const ratio = totalTokens / Math.max(1, estimated - tail);
    return { tokens: totalTokens + tail, estimate: estimated, ratio: Math.min(4, Math.max(0.5, ratio)) };
  }

  /** -1 where no reply has. */
  #lastCounted(entries: readonly ContextMessage[], model: Model): number {
    const by = `${model.provider}/${model.model}`;
    const { at, among } = this.#counted?.by === by ? this.#counted : { at: -1, among: 0 };
    let latest = entries.length - 1;
    while (latest >= among && !hasCounted((entries[latest] as ContextMessage).message, model)) latest -= 1;
    this.#counted = { by, among: entries.length, at: latest >= among ? latest : at };
    return this.#counted.at;
  }

  /**
   * Whether what a reply counted still is the context: nothing before it was summarised, left out or brought back since.
   * What was followed from an earlier leaf is not read again.
   */
  #isFresh(replyId: string, store: Pick<SessionStore, 'leaf' | 'entry'>): boolean {
    const { leaf } = store;
    const known = this.#followed?.store === store && this.#followed.replyId === replyId ? this.#followed : undefined;
    const since: string[] = [];
    const edited: string[] = [];
    let isFresh = true;
    let id = leaf;
    while (isFresh && id !== null && id !== replyId && id !== known?.leaf) {
      const entry = store.entry(id);
      if (entry === undefined || isRestart(entry)) isFresh = false;
      if (entry?.type === 'context_edit') edited.push(entry.targetId);
      since.push(id);
      id = entry?.parentId ?? null;
    }
    const goesOn = known !== undefined && id === known.leaf;
    const all = goesOn ? known.since : new Set<string>();
    for (const one of since) all.add(one);
    isFresh &&= (!goesOn || known.isFresh) && edited.every((one) => all.has(one));
    this.#followed = { store, replyId, leaf, isFresh, since: all };
    return isFresh;
  }
}

function sameUpTo(before: readonly ContextMessage[], now: readonly ContextMessage[]): number {
  const most = Math.min(before.length, now.length);
  let same = 0;
  while (same < most && before[same] === now[same]) same += 1;
  return same;
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

/** From here on a context is another one, whatever was counted before. */
function isRestart(entry: SessionEntry | ForeignEntry): boolean {
  return entry.type === 'compaction' || (entry.type === 'custom' && entry.customType === undoneType);
}

/** A `custom` entry that says which compaction, and which edits of the context, no longer count. Whoever reads the session knows it. */
export const undoneType = 'kern.compaction-undone';

/** A message by estimate. */
export function messageTokens(message: Message): number {
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

/** A tool, as it is offered. */
export function faceTokens({ name, description, inputSchema }: ToolFace): number {
  return textTokens(name) + textTokens(description) + textTokens(JSON.stringify(inputSchema));
}
