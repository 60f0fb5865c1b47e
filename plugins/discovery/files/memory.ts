import type { Head } from '../contract.ts';

interface Remembered {
  readonly mark: string;
  readonly text: string;
  head: Head | undefined;
}

/** How much text is remembered. */
const room = 8 * 1024 * 1024;

/** What files held when they were read last, so that an unchanged one costs a look and no more. */
export class Memory {
  readonly #known = new Map<string, Remembered>();
  #size = 0;

  text(path: string, mark: string): string | undefined {
    return this.#at(path, mark)?.text;
  }

  keepText(path: string, mark: string, text: string): void {
    this.#forget(path);
    if (text.length > room / 8) return;
    this.#known.set(path, { mark, text, head: undefined });
    this.#size += text.length;
    for (const oldest of this.#known.keys()) {
      if (this.#size <= room) return;
      this.#forget(oldest);
    }
  }

  head(path: string, mark: string): Head | undefined {
    return this.#at(path, mark)?.head;
  }

  keepHead(path: string, mark: string, head: Head): void {
    const known = this.#at(path, mark);
    if (known !== undefined) known.head = head;
  }

  #at(path: string, mark: string): Remembered | undefined {
    const known = this.#known.get(path);
    return known?.mark === mark ? known : undefined;
  }

  #forget(path: string): void {
    const known = this.#known.get(path);
    if (known === undefined) return;
    this.#known.delete(path);
    this.#size -= known.text.length;
  }
}
