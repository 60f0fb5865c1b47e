import {
  AsyncParallelHook,
  AsyncSeriesBailHook,
  AsyncSeriesHook,
  AsyncSeriesWaterfallHook,
  SyncBailHook,
  SyncHook,
} from 'tapable';
import type { TapRecord } from './activation.ts';
import { messageOf } from './error.ts';
import type { Hook } from './hook.ts';
import { priorityOf } from './order.ts';
import type { View } from './plugin.ts';
import { type Call, type HookPorts, runNow, runSoon } from './tap-run.ts';

interface Compiled {
  readonly count: number;
  readonly call: (input: unknown, call: Call) => unknown;
}

/** The hooks of one set of taps, built when they are first called. A new set of taps is a new object: tapable has no untap. */
export class CompiledHooks {
  readonly taps: readonly TapRecord[];
  readonly #ports: HookPorts;
  /** The projects whose own plugins tap; seen from anywhere else all views are one. */
  readonly #roots: ReadonlySet<string>;
  /** By row, not by id: of a hook that nobody declares, every copy of the row is its own. */
  readonly #compiled = new WeakMap<Hook, Map<string, Compiled>>();

  constructor(taps: readonly TapRecord[], ports: HookPorts) {
    this.taps = taps;
    this.#ports = ports;
    this.#roots = new Set(taps.flatMap(({ activation }) => activation.root ?? []));
  }

  /** How many taps a view of `root` has on a hook. */
  count(hook: Hook, root: string): number {
    return this.#for(hook, root).count;
  }

  call(hook: Hook, root: string, input: unknown, view: View): unknown {
    const compiled = this.#for(hook, root);
    if (compiled.count === 0) return answerOfNobody(hook, input);
    return compiled.call(input, { view, gathered: [] });
  }

  #for(hook: Hook, root: string): Compiled {
    const seenFrom = this.#roots.has(root) ? root : '';
    const byRoot = this.#compiled.get(hook) ?? new Map<string, Compiled>();
    let compiled = byRoot.get(seenFrom);
    if (compiled === undefined) {
      const taps = this.taps.filter(
        ({ hook: tapped, activation }) =>
          tapped.id === hook.id && (activation.root === undefined || activation.root === root),
      );
      compiled = { count: taps.length, call: compile(hook, inCallOrder(hook, taps), this.#ports) };
      this.#compiled.set(hook, byRoot.set(seenFrom, compiled));
    }
    return compiled;
  }
}

function answerOfNobody(hook: Hook, input: unknown): unknown {
  switch (hook.kind) {
    case 'event':
    case 'resolve':
      return undefined;
    case 'transform':
      return Promise.resolve(input);
    case 'gather':
      return Promise.resolve([]);
    default:
      return Promise.resolve(undefined);
  }
}

/** By order; then, where the first answer counts, the nearest level first, else the nearest level last, so that it has the last word. */
function inCallOrder(hook: Hook, taps: readonly TapRecord[]): readonly TapRecord[] {
  const nearestFirst = hook.kind === 'decide' || hook.kind === 'resolve' ? -1 : 1;
  const keeper = hook.guard?.keeper;
  // Whatever order others ask for: nobody is asked about a call that another tap refuses anyway.
  const isKeeper = ({ activation }: TapRecord): number =>
    activation.id === keeper && activation.level === 'builtin' ? 1 : 0;
  // Array sort is stable: within a level, plugin order and sequence stay.
  return [...taps].sort(
    (a, b) =>
      isKeeper(a) - isKeeper(b) ||
      a.order - b.order ||
      nearestFirst * (priorityOf(a.activation.level) - priorityOf(b.activation.level)),
  );
}

function compile(hook: Hook, taps: readonly TapRecord[], ports: HookPorts): (input: unknown, call: Call) => unknown {
  const name = (tap: TapRecord): string => tap.activation.id;
  switch (hook.kind) {
    case 'event': {
      const compiled = new SyncHook<[unknown, Call]>(['input', 'call']);
      for (const tap of taps) compiled.tap(name(tap), (input, call) => void runNow(tap, hook, input, call, ports));
      return (input, call) => compiled.call(input, call);
    }
    case 'resolve': {
      const compiled = new SyncBailHook<[unknown, Call], unknown>(['input', 'call']);
      for (const tap of taps)
        compiled.tap(name(tap), (input, call) => runNow(tap, hook, input, call, ports) ?? undefined);
      return (input, call) => compiled.call(input, call);
    }
    case 'series': {
      const compiled = new AsyncSeriesHook<[unknown, Call]>(['input', 'call']);
      for (const tap of taps)
        compiled.tapAsync(name(tap), (input, call, done) => runSoon(tap, hook, input, call, ports, () => done()));
      return (input, call) => compiled.promise(input, call);
    }
    case 'gather': {
      const compiled = new AsyncParallelHook<[unknown, Call]>(['input', 'call']);
      for (const [place, tap] of taps.entries()) {
        compiled.tapAsync(name(tap), (input, call, done) =>
          runSoon(tap, hook, input, call, ports, (_error, answer) => {
            call.gathered[place] = answer;
            done();
          }),
        );
      }
      return async (input, call) => {
        await compiled.promise(input, call);
        return call.gathered.filter((answer) => answer !== undefined && answer !== null);
      };
    }
    case 'transform': {
      const compiled = new AsyncSeriesWaterfallHook<[unknown, Call]>(['value', 'call']);
      for (const tap of taps)
        compiled.tapAsync(name(tap), (value, call, done) =>
          runSoon(tap, hook, value, call, ports, (_error, next) =>
            done(null, next === undefined || next === null ? value : freeze(next, ports.freezeDeeply)),
          ),
        );
      return (input, call) => compiled.promise(input, call);
    }
    case 'decide': {
      const compiled = new AsyncSeriesBailHook<[unknown, Call], unknown>(['input', 'call']);
      for (const tap of taps)
        compiled.tapAsync(name(tap), (input, call, done) =>
          runSoon(tap, hook, input, call, ports, (error, answer) => done(null, decided(tap, hook, error, answer))),
        );
      return (input, call) => compiled.promise(input, call);
    }
  }
}

/** What one tap of a `decide` comes to: its answer, no opinion, or, where the hook guards and the tap failed, a denial. */
function decided(tap: TapRecord, hook: Hook, error: Error | null | undefined, answer: unknown): unknown {
  if (error) return hook.guard?.deny(`${tap.activation.id} failed: ${messageOf(error)}`);
  if (answer === undefined || answer === null) return undefined;
  try {
    if (hook.onlyFrom?.when(answer) === true && !hook.onlyFrom.levels.includes(tap.activation.level)) return undefined;
  } catch (thrown) {
    return hook.guard?.deny(`${hook.id} cannot tell whether ${tap.activation.id} may answer: ${messageOf(thrown)}`);
  }
  return answer;
}

/** Its top level, so that a late or failed tap has changed nothing; in tests all the way down. */
export function freeze<T>(value: T, deeply: boolean): T {
  return deeply ? freezeDeep(value) : freezeTop(value);
}

function freezeTop<T>(value: T): T {
  return typeof value === 'object' && value !== null && isPlain(value) ? Object.freeze(value) : value;
}

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || !isPlain(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freezeDeep(part);
  return value;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}
