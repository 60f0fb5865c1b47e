/** What providers remember of a session from one request to the next; nothing of it outlives its model or its branch. */
export class Memory {
  #of: string | undefined;
  #state = new Map<string, unknown>();

  /** For a request to a model. */
  for(model: string): Map<string, unknown> {
    if (this.#of !== model) this.forget();
    this.#of = model;
    return this.#state;
  }

  /** The context is another: what a server knows of it is no longer so. */
  forget(): void {
    this.#state = new Map();
  }
}
