import {
  entryAppended,
  type Message,
  messageEnd,
  type NewEntry,
  type SessionEntry,
  type SessionStore,
} from 'kern/contracts';
import type { View } from 'kern/plugin';
import type { Broadcast } from './broadcast.ts';
import { forModel } from './context.ts';

/**
 * What was said, in order. Two lists that only grow: what is kept, and what of it a model reads again. Entries are
 * written beside the run; each is acknowledged by an event when it is on disk.
 */
export class Conversation {
  readonly #store: SessionStore;
  readonly #broadcast: Broadcast;
  readonly #kept: Message[] = [];
  readonly #context: Message[] = [];

  constructor(store: SessionStore, broadcast: Broadcast) {
    this.#store = store;
    this.#broadcast = broadcast;
  }

  get messages(): readonly Message[] {
    return this.#kept;
  }

  /** For one request: its own list, since the next message must not slip into a request that is still being read. */
  context(): readonly Message[] {
    return this.#context.slice();
  }

  /** Keeps a message, as the plugins leave it, and says so; one that comes back as another kind is kept as it was. */
  async keep(message: Message, view: View): Promise<Message> {
    const { message: changed } = await view.call(messageEnd, { message });
    const kept = sameKind(message, changed) ? changed : message;
    this.#kept.push(kept);
    const readable = forModel(kept);
    if (readable !== undefined) this.#context.push(readable);
    this.#broadcast.emit({ type: 'message_end', message: kept });
    this.write(entryOf(kept));
    return kept;
  }

  /** Adds an entry that is no message of the conversation. Answers with its id. */
  write(entry: NewEntry): string {
    const written = this.#store.append(entry);
    // An entry that never reaches the disk is told by the store; it is in memory all the same.
    written.then(
      (done) => this.#acknowledge(done),
      () => {},
    );
    return this.#store.entries().at(-1)?.id ?? '';
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
