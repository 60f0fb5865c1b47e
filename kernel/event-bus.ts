import type { Events, Handle } from './plugin.ts';

/** The extensions' own bus. Listeners are owned by their scope, which also answers for their failures. */
export class EventBus implements Events {
  readonly #listeners = new Map<string, Set<(payload: unknown) => void>>();

  on(name: string, listener: (payload: unknown) => void): Handle {
    const listeners = this.#listeners.get(name) ?? new Set();
    // A function of its own: the same listener twice is two listeners.
    const own = (payload: unknown): void => listener(payload);
    listeners.add(own);
    this.#listeners.set(name, listeners);
    const dispose = (): void => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
    };
    return { dispose, [Symbol.dispose]: dispose };
  }

  emit(name: string, payload?: unknown): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(payload);
  }
}
