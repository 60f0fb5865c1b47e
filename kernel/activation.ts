import type { Capability, Level, Provider } from './capability.ts';
import type { Hook } from './hook.ts';
import type { Context, PluginDefinition } from './plugin.ts';
import type { Parsed, Schema } from './schema.ts';

/** A plugin as it is handed to the kernel: loaded, not yet run. */
export interface PluginUnit {
  /** Level and id, and for a project its root: what makes it the same plugin over its revisions. */
  readonly key: string;
  readonly level: Level;
  /** The project it belongs to. */
  readonly root?: string;
  /** Where it stands, for people: a path, or `built-in`. */
  readonly source: string;
  readonly definition: PluginDefinition;
  readonly revision: number;
  /** The files it was made of. */
  readonly files?: readonly string[];
}

export interface TapRecord {
  readonly activation: Activation;
  readonly hook: Hook;
  readonly fn: (input: never) => unknown;
  readonly order: number;
  readonly sequence: number;
  /** Failures in a row. */
  failures: number;
  muted: boolean;
}

export interface OfferRecord {
  readonly activation: Activation;
  readonly capability: Capability<unknown>;
  readonly item: unknown;
  readonly key: string | undefined;
  readonly priority: number | undefined;
  readonly path: string | undefined;
  readonly provider: string;
  readonly sequence: number;
  /** The schema it was parsed with, and what came of it. */
  readonly schema: Schema<unknown>;
  readonly parsed: Parsed<unknown>;
  withdrawn: boolean;
}

export interface ProviderRecord {
  readonly activation: Activation;
  readonly capability: Capability<unknown>;
  readonly provider: Provider<unknown>;
  readonly sequence: number;
}

export type ActivationState = 'staged' | 'live' | 'draining' | 'gone';

/** One run of a plugin's setup, with all that it registered. */
export class Activation {
  readonly unit: PluginUnit;
  readonly controller = new AbortController();
  /** The `ctx` that its setup got. */
  scope: Context | undefined;
  state: ActivationState = 'staged';
  /** Removed code is signalled at once and gets a few seconds; replaced code drains without a limit. */
  removed = false;
  inFlight = 0;
  taps: readonly TapRecord[] = [];
  offers: readonly OfferRecord[] = [];
  providers: readonly ProviderRecord[] = [];
  readonly starters: (() => unknown)[] = [];
  readonly crashers: (() => void)[] = [];
  startMs = 0;
  hookMs = 0;
  /** Calls into it that must not wait for ever: told when it is gone. */
  readonly waiters = new Set<() => void>();
  readonly #disposers: (() => unknown)[] = [];
  #sequence = 0;
  readonly #onIdle: (activation: Activation) => void;

  constructor(unit: PluginUnit, onIdle: (activation: Activation) => void) {
    this.unit = unit;
    this.#onIdle = onIdle;
  }

  get id(): string {
    return this.unit.definition.id;
  }

  get level(): Level {
    return this.unit.level;
  }

  next(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  enter(): void {
    this.inFlight += 1;
  }

  leave(): void {
    this.inFlight -= 1;
    if (this.inFlight === 0 && this.state === 'draining') this.#onIdle(this);
  }

  defer(fn: () => unknown): () => void {
    this.#disposers.push(fn);
    return () => {
      const at = this.#disposers.indexOf(fn);
      if (at >= 0) this.#disposers.splice(at, 1);
    };
  }

  /** Undoes everything, last first. A disposer that fails is handed to `failed` and stops none of the others. */
  async dispose(failed: (error: unknown) => void): Promise<void> {
    if (this.state === 'gone') return;
    this.state = 'gone';
    this.controller.abort();
    for (let fn = this.#disposers.pop(); fn !== undefined; fn = this.#disposers.pop()) {
      try {
        await fn();
      } catch (error) {
        failed(error);
      }
    }
    this.taps = [];
    this.offers = [];
    this.providers = [];
    for (const waiter of this.waiters) waiter();
    this.waiters.clear();
  }
}
