import type { FoundText } from 'kern/contracts';
import { type Logger, messageOf } from 'kern/plugin';

/** The texts of files, as they are now. One that cannot be read is what it was when it could; said once for each reason. */
export class ToldTexts {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #good = new Map<string, string>();
  readonly #said = new Map<string, string>();
  /** Conditions and globs of files, with these, that did not come to an end: nobody asks them again. */
  readonly slow = new Set<string>();

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /** Undefined: it cannot be read, and never could. */
  async read({ path, read }: Pick<FoundText, 'path' | 'read'>, signal: AbortSignal): Promise<string | undefined> {
    try {
      const text = (await read(signal)).trim();
      this.#good.set(path, text);
      this.#said.delete(path);
      return text;
    } catch (error) {
      const before = this.#good.get(path);
      // Nobody wants to know it any more: nothing is wrong with the file.
      if (signal.aborted) return before;
      this.say(path, `${messageOf(error)}${before === undefined ? '' : ' — what it said before goes on to hold'}`);
      return before;
    }
  }

  /** Something a person should know of a file, once. */
  say(path: string, what: string): void {
    if (this.#said.get(path) === what) return;
    this.#said.set(path, what);
    this.#log.warn(what);
  }
}
