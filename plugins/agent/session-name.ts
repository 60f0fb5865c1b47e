import type { Broadcast } from './broadcast.ts';
import type { Conversation } from './conversation.ts';

/** What a session is called: by a person, or by its title. */
export class SessionName {
  readonly #conversation: Conversation;
  readonly #broadcast: Broadcast;
  #value: string | undefined;

  constructor(conversation: Conversation, broadcast: Broadcast) {
    this.#conversation = conversation;
    this.#broadcast = broadcast;
  }

  get value(): string | undefined {
    return this.#value;
  }

  /** The file says it. */
  opened(name: string | undefined): void {
    this.#value = name;
  }

  change(name: string): void {
    if (name === this.#value) return;
    this.#value = name;
    this.#conversation.write({ type: 'session_info', name });
    this.#broadcast.emit({ type: 'session_name', name });
  }
}
