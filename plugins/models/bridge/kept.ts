import type { LanguageModelV4 } from '@ai-sdk/provider';
import { WrittenMessages } from './prompt.ts';

/**
 * Keeps a provider package's model from one request to the next: making one, with the schema of its stream, takes a
 * millisecond of every turn. A provider makes one of these and passes it with each of its endpoints.
 */
export class KeptModel {
  /** The messages as they were sent before. */
  readonly written = new WrittenMessages();
  readonly #requests = new WeakMap<AbortSignal, typeof fetch>();
  #key = '';
  #model: LanguageModelV4 | undefined;

  /** The model of the last request, if it was made of the same `parts`. What it sends goes through this request's `fetch`. */
  model(
    parts: readonly unknown[],
    request: { readonly fetch: typeof fetch; readonly signal: AbortSignal },
    make: (fetch: typeof globalThis.fetch) => LanguageModelV4,
  ): LanguageModelV4 {
    this.#requests.set(request.signal, request.fetch);
    const key = JSON.stringify(parts);
    if (this.#model === undefined || this.#key !== key) {
      this.#model = make((input, init) => this.#send(input, init));
      this.#key = key;
    }
    return this.#model;
  }

  #send(...[input, init]: Parameters<typeof fetch>): ReturnType<typeof fetch> {
    const own = this.#requests.get(init?.signal as AbortSignal);
    if (own === undefined) throw new TypeError('a provider package has sent a request without its signal');
    return own(input, init);
  }
}
