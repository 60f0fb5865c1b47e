import type { TapRecord } from './activation.ts';
import type { Hook } from './hook.ts';
import type { Journal } from './report.ts';

/** What the taps of one plugin on one hook took. */
export interface HookCost {
  readonly hook: string;
  readonly calls: number;
  readonly ms: number;
  readonly slowestMs: number;
}

/** Measures what loads side by side: each is charged with what passed since the one before it was there. */
export class LoadTimes {
  #until = 0;

  /** Answers with what is to be called when it is there: it says the ms. */
  begin(): () => number {
    const started = performance.now();
    return () => {
      const now = performance.now();
      const ms = now - Math.max(started, this.#until);
      this.#until = now;
      return ms;
    };
  }
}

/** Whoever waits for these longer is told once whose time it is. Where taps answer at once, everything stands still meanwhile. */
const slowMs = { atOnce: 100, awaited: 1_000 } as const;

/** Books a call of a tap. On the path of every tapped hook: a few additions, and nothing is made. */
export function book(tap: TapRecord, hook: Hook, ms: number, journal: Journal): void {
  tap.calls += 1;
  tap.ms += ms;
  if (ms <= tap.slowestMs) return;
  tap.slowestMs = ms;
  if (ms >= slowMs.atOnce && !tap.isKnownSlow) tellSlow(tap, hook, ms, journal);
}

function tellSlow(tap: TapRecord, hook: Hook, ms: number, journal: Journal): void {
  const { id, level } = tap.activation;
  const isAtOnce = hook.kind === 'event' || hook.kind === 'resolve';
  // What kern itself takes is in `kern plugins --why`; the person can do nothing about it.
  if (level === 'builtin' || ms < (isAtOnce ? slowMs.atOnce : slowMs.awaited)) return;
  tap.isKnownSlow = true;
  const meanwhile = isAtOnce ? 'everything stood still meanwhile' : 'the agent waited for it';
  journal.add(
    id,
    'warning',
    'tap_slow',
    `plugin ${id} took ${Math.round(ms)} ms in ${hook.id}, and ${meanwhile}: \`kern plugins --why\` shows what it costs`,
  );
}

/** Taps of the same hook are one; in the order in which they were made. */
export function costsOf(taps: readonly TapRecord[]): readonly HookCost[] {
  const costs = new Map<string, HookCost>();
  for (const { hook, calls, ms, slowestMs } of taps) {
    const before = costs.get(hook.id) ?? { hook: hook.id, calls: 0, ms: 0, slowestMs: 0 };
    costs.set(hook.id, {
      hook: hook.id,
      calls: before.calls + calls,
      ms: before.ms + ms,
      slowestMs: Math.max(before.slowestMs, slowestMs),
    });
  }
  return [...costs.values()];
}
