import type { AssistantMessage } from '../contract.ts';

/** Ids for the calls of a conversation, as a wire takes them. One a request: it remembers which are taken. */
export class CallIds {
  readonly #longest: number;
  readonly #used = new Map<string, number>();

  constructor(longest: number) {
    this.#longest = longest;
  }

  /**
   * The ids of a reply's calls, in their order. Servers take letters, digits, `_` and `-` only, differ in how many, and
   * refuse an id that is used twice; some give the same ids in every reply.
   */
  of({ content }: AssistantMessage): readonly string[] {
    return content.flatMap((part) => (part.type === 'toolCall' ? [this.#free(part.id)] : []));
  }

  #free(given: string): string {
    const clean = given.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, this.#longest) || 'call';
    let id = clean;
    let times = this.#used.get(clean) ?? 0;
    while (this.#used.has(id)) {
      times += 1;
      const suffix = `_${times}`;
      id = `${clean.slice(0, this.#longest - suffix.length)}${suffix}`;
    }
    this.#used.set(clean, Math.max(1, times));
    this.#used.set(id, 1);
    return id;
  }
}

/** A name of a tool as every wire takes it; models make up others, and a history keeps them. */
export function toolName(name: string): string {
  if (/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name)) return name;
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 63);
  return /^[a-zA-Z_]/.test(clean) ? clean : `_${clean}`;
}
