import type { Clock } from '../clock.ts';
import { messageOf } from '../error.ts';
import type { Config } from './config.ts';
import type { Key } from './keys.ts';

/** How long a value waits for others before it is written. */
const saveAfterMs = 200;
/** After a failure the next try comes later each time. */
const retryMs = { first: 2_000, longest: 60_000 };

export interface StorePorts {
  readonly config: Config;
  readonly clock: Clock;
  /** A value could not be written: it counts in this process, and is tried again. Told once for each reason. */
  failed(error: unknown, pending: number): void;
  /** What could not be written before is written now. */
  restored(): void;
  /** A listener failed. */
  stray(error: unknown, key: string): void;
}

/** Settings of a running kern: they count at once and are written a little later, into the person's own file. */
export class SettingsStore {
  readonly #ports: StorePorts;
  #timer: (() => void) | undefined;
  #saving: Promise<void> | undefined;
  /** The reason of the last failure that was told. */
  #failure: string | undefined;
  #retryMs = retryMs.first;

  constructor(ports: StorePorts) {
    this.#ports = ports;
  }

  /** How many values are in no file yet. */
  get pending(): number {
    return this.#ports.config.drafts.length;
  }

  /** Throws `config_bad_value`, `config_unknown_key`, and for what a project may not set `config_not_project`. */
  set(key: Key, value: unknown, by: 'user' | 'project' = 'user'): void {
    this.#ports.config.draft(key, value, by);
    this.#later(saveAfterMs);
  }

  unset(key: Key, by: 'user' | 'project' = 'user'): void {
    this.#ports.config.draft(key, undefined, by);
    this.#later(saveAfterMs);
  }

  /** A value for this process alone, until what is answered is called. A later one for the same key takes its place. */
  override(key: Key, value: unknown, by: 'user' | 'project' = 'user'): () => void {
    const { config } = this.#ports;
    const id = config.override(key, value, by);
    return () => config.endOverride(id);
  }

  /** Tells of every new value of a key. */
  watch(key: Key, listener: (value: unknown) => void): () => void {
    const { config, stray } = this.#ports;
    const text = (value: unknown): string => JSON.stringify(value) ?? '';
    let last = text(config.get(key).value);
    return config.onChange(() => {
      const { value } = config.get(key);
      const now = text(value);
      if (now === last) return;
      last = now;
      try {
        listener(value);
      } catch (error) {
        stray(error, config.get(key).key);
      }
    });
  }

  /** Everything is in the file. Rejects where it cannot be written; it is kept all the same. */
  async flush(): Promise<void> {
    this.#timer?.();
    this.#timer = undefined;
    while (this.pending > 0 || this.#saving !== undefined) {
      await this.#saving?.catch(() => undefined); // whoever began it is told
      if (this.pending > 0) await this.#save();
    }
  }

  /** No more tries by itself. */
  close(): void {
    this.#timer?.();
    this.#timer = undefined;
  }

  #later(ms: number): void {
    // The first of many values does not wait for the last.
    this.#timer ??= this.#ports.clock.after(ms, () => {
      this.#timer = undefined;
      this.#save().catch(() => undefined); // told, and tried again
    });
  }

  #save(): Promise<void> {
    this.#saving ??= this.#saveNow().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #saveNow(): Promise<void> {
    const { config, failed, restored } = this.#ports;
    try {
      await config.save();
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== this.#failure) failed(error, this.pending);
      this.#failure = reason;
      this.#later(this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, retryMs.longest);
      throw error;
    }
    this.#retryMs = retryMs.first;
    if (this.#failure !== undefined) restored();
    this.#failure = undefined;
  }
}
