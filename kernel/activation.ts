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
  /** How long its code took to load. */
  readonly loadMs?: number;
  /** What does not hold while it does not load, where somebody counts on it: told with its failure. */
  readonly stake?: string;
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
  /** What it took so far; time in which a person was asked does not count. */
  calls: number;
  ms: number;
  slowestMs: number;
  /** It was told once that it is slow. */
  isKnownSlow: boolean;
}

export interface OfferRecord {
  readonly activation: Activation;
  readonly capability: Capability<unknown>;
  readonly item: unknown;
  readonly key: string | undefined;
  readonly priority: number | undefined;
  readonly path: string | undefined;
  /** The file in whose favour its provider leaves it out. */
  readonly givesWayTo?: string | undefined;
  readonly provider: string;
  /** The place of its group or provider within setup: it stays when the group is replaced. */
  readonly rank: number;
  /** The place within the group. */
  readonly sequence: number;
  /** What was offered, the schema it was parsed with, and what came of it. */
  readonly offered: unknown;
  readonly schema: Schema<unknown>;
  readonly parsed: Parsed<unknown>;
  /** Shared by all copies of this record. */
  readonly fate: { isWithdrawn: boolean };
  /** Of a stub: wakes its plugin and answers with what the plugin really offers. */
  readonly forward?: () => Promise<OfferRecord>;
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
  /** Calls that run in it, and what else holds it. */
  #calls = 0;
  #holds = 0;
  taps: readonly TapRecord[] = [];
  offers: readonly OfferRecord[] = [];
  providers: readonly ProviderRecord[] = [];
  readonly starters: (() => unknown)[] = [];
  readonly crashers: (() => void)[] = [];
  startMs = 0;
  /** Calls into it that must not wait for ever: told when it is gone. */
  readonly waiters = new Set<() => void>();
  /** While its disposers run: they may still use what others offer. */
  isUndoing = false;
  readonly #disposers = new Set<{ readonly fn: () => unknown }>();
  #sequence = 0;
  readonly #idleWaiters: (() => void)[] = [];
  readonly #onFree: (activation: Activation) => void;

  constructor(unit: PluginUnit, onFree: (activation: Activation) => void) {
    this.unit = unit;
    this.#onFree = onFree;
  }

  get id(): string {
    return this.unit.definition.id;
  }

  get level(): Level {
    return this.unit.level;
  }

  /** The project whose views alone see it. */
  get root(): string | undefined {
    return rootOf(this.unit);
  }

  /** What its taps took so far. */
  get hookMs(): number {
    return this.taps.reduce((sum, { ms }) => sum + ms, 0);
  }

  next(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  enter(): void {
    this.#calls += 1;
  }

  leave(): void {
    this.#calls -= 1;
    if (this.#calls === 0) for (const waiter of this.#idleWaiters.splice(0)) waiter();
    this.#tellIfFree();
  }

  /** Keeps it loaded, without a call; answers with what lets it go, once. */
  hold(): () => void {
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds -= 1;
      this.#tellIfFree();
    };
  }

  get isFree(): boolean {
    return this.#calls + this.#holds === 0;
  }

  #tellIfFree(): void {
    if (this.isFree && this.state === 'draining') this.#onFree(this);
  }

  /** Resolves when no call runs in it. */
  async whenIdle(): Promise<void> {
    if (this.#calls > 0) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  defer(fn: () => unknown): () => void {
    // An object of its own, so that the same function twice is two.
    const disposer = { fn };
    this.#disposers.add(disposer);
    return () => void this.#disposers.delete(disposer);
  }

  /** From here on nothing of it runs any more but what undoes it, and nobody waits for it. */
  end(): void {
    this.state = 'gone';
    this.controller.abort();
    for (const waiter of this.waiters) waiter();
    this.waiters.clear();
  }

  /** Undoes everything, last first. `undo` runs one disposer and answers for its failure. */
  async dispose(undo: (fn: () => unknown) => Promise<void>): Promise<void> {
    this.isUndoing = true;
    while (this.#disposers.size > 0) {
      const last = [...this.#disposers].reverse();
      this.#disposers.clear();
      for (const { fn } of last) await undo(fn);
    }
    this.isUndoing = false;
    this.taps = [];
    this.offers = [];
    this.providers = [];
    this.starters.length = 0;
    this.crashers.length = 0;
    this.scope = undefined;
  }
}

/** Only a project's plugin has a root that narrows who sees it. */
export const rootOf = (unit: Pick<PluginUnit, 'level' | 'root'>): string | undefined =>
  unit.level === 'project' ? (unit.root ?? '') : undefined;
