/** What was read last, up to a number of bytes of text. */
export class Recent<T> {
  readonly #limit: number;
  readonly #kept = new Map<string, { readonly value: T; readonly bytes: number }>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    // A map keeps the order in which things were put: the oldest is first.
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.value;
  }

  keep(key: string, value: T, bytes: number): void {
    if (bytes > this.#limit) return;
    this.drop(key);
    this.#kept.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#limit) break;
      this.drop(oldest);
    }
  }

  drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}
