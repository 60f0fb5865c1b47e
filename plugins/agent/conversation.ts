import {
  type ContextMessage,
  entryAppended,
  type Message,
  messageEnd,
  messageForModel,
  type NewEntry,
  type SessionContext,
  type SessionEntry,
  type SessionStore,
} from 'kern/contracts';
import type { View } from 'kern/plugin';
import type { Broadcast } from './broadcast.ts';
import { mentionOf } from './queue-messages.ts';

/** What is said from a moment on, until it is disposed of. */
export interface Heard extends Disposable {
  readonly messages: readonly Message[];
}

/**
 * What was said, in order: all that is kept, and what of it a model reads again. Between two rebuilds both only grow.
 * Entries are written beside the run; each is acknowledged by an event when it is on disk.
 */
export class Conversation {
  readonly #broadcast: Broadcast;
  readonly #rebuilt: (context: SessionContext) => void;
  #store: SessionStore;
  #kept: Message[] = [];
  /** The same messages twice: a request takes the one list, whoever asks for entries the other. */
  #context: Message[] = [];
  #entries: ContextMessage[] = [];
  #ids = new WeakMap<Message, string>();
  readonly #hearers = new Set<Message[]>();

  /** `rebuilt` is told of every context that is made anew. */
  constructor(store: SessionStore, broadcast: Broadcast, rebuilt: (context: SessionContext) => void = () => {}) {
    this.#store = store;
    this.#broadcast = broadcast;
    this.#rebuilt = rebuilt;
  }

  get store(): SessionStore {
    return this.#store;
  }

  /** Goes on in another store; with what its branch comes to, where that is known already. */
  open(store: SessionStore, context: SessionContext = store.context()): SessionContext {
    this.#store = store;
    return this.#take(context);
  }

  /** Makes the context anew from what is stored: after a compaction, an undo, a move in the tree. */
  rebuild(): SessionContext {
    return this.#take(this.#store.context());
  }

  #take(context: SessionContext): SessionContext {
    this.#entries = [...context.messages];
    this.#context = this.#entries.map(({ message }) => message);
    this.#kept = [...this.#context];
    this.#ids = new WeakMap();
    for (const { message, entryId } of this.#entries) if (entryId !== undefined) this.#ids.set(message, entryId);
    this.#rebuilt(context);
    return context;
  }

  /** What was said since the conversation was opened, or rebuilt last. */
  get messages(): readonly Message[] {
    return this.#kept;
  }

  /** For one request: its own list, since the next message must not slip into a request that is still being read. */
  context(): readonly Message[] {
    return this.#context.slice();
  }

  /** The same with the entries that it comes from. */
  contextEntries(): readonly ContextMessage[] {
    return this.#entries.slice();
  }

  /** The entry of a message that is kept. */
  entryIdOf(message: Message): string | undefined {
    return this.#ids.get(message);
  }

  /** Collects what is kept from now on, whatever becomes of the context meanwhile. */
  hear(): Heard {
    const messages: Message[] = [];
    this.#hearers.add(messages);
    return { messages, [Symbol.dispose]: () => void this.#hearers.delete(messages) };
  }

  /** Keeps a message, as the plugins leave it, and says so; one that comes back as another kind is kept as it was. */
  async keep(message: Message, view: View): Promise<Message> {
    const { message: changed } = await view.call(messageEnd, { message });
    const kept = sameKind(message, changed) ? changed : message;
    const mention = kept === message ? mentionOf(kept) : undefined;
    const entryId = this.write(mention === undefined ? entryOf(kept) : { type: 'message', message: mention });
    this.#kept.push(kept);
    for (const messages of this.#hearers) messages.push(kept);
    this.#ids.set(kept, entryId);
    const readable = messageForModel(kept);
    if (readable !== undefined) this.#add(readable, entryId);
    this.#broadcast.emit({ type: 'message_end', message: kept });
    return kept;
  }

  /** Takes a message out of the context, and says so in the session; the entry itself stays. */
  hide(entryId: string): void {
    this.write({ type: 'context_edit', targetId: entryId, replacement: null });
    const at = this.#entries.findLastIndex((entry) => entry.entryId === entryId);
    if (at === -1) return;
    this.#entries.splice(at, 1);
    this.#context.splice(at, 1);
  }

  /** Adds an entry that is no message of the conversation. Answers with its id. */
  write(entry: NewEntry): string {
    const written = this.#store.append(entry);
    // An entry that never reaches the disk is told by the store; it is in memory all the same.
    written.then(
      (done) => this.#acknowledge(done),
      () => {},
    );
    return this.#store.leaf ?? '';
  }

  #add(message: Message, entryId: string): void {
    this.#context.push(message);
    this.#entries.push({ message, entryId });
    this.#ids.set(message, entryId);
  }

  #acknowledge(entry: SessionEntry): void {
    this.#broadcast.view.call(entryAppended, { entry });
    this.#broadcast.emit({ type: 'entry_appended', entry });
  }
}

function sameKind(before: Message, after: Message): boolean {
  if (before.role !== after.role || !Array.isArray(after.content)) return false;
  // A result that answers another call would leave its own unanswered.
  return (
    before.role !== 'toolResult' ||
    (after.role === 'toolResult' && after.toolCallId === before.toolCallId && after.toolName === before.toolName)
  );
}

function entryOf(message: Message): NewEntry {
  if (message.role !== 'custom') return { type: 'message', message };
  const { customType, content, display, details } = message;
  return { type: 'custom_message', customType, content, display, ...(details === undefined ? {} : { details }) };
}
