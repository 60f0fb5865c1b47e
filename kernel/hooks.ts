import { AsyncParallelHook, AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncBailHook, SyncHook } from 'tapable';
import type { TapRecord } from './activation.ts';
import type { Clock } from './clock.ts';
import { KernError, messageOf } from './error.ts';
import { type Hook, limitOf } from './hook.ts';
import { priorityOf } from './order.ts';
import type { Ownership, Running, TapClock } from './owner.ts';
import type { View } from './plugin.ts';
import type { Journal } from './report.ts';
import { parse } from './schema.ts';

export interface HookPorts {
  readonly owners: Ownership;
  readonly journal: Journal;
  readonly clock: Clock;
}

/** One call: the view it is made through, and where gathered answers go. */
interface Call {
  readonly view: View;
  readonly gathered: unknown[];
}

type Done = (error?: Error | null, result?: unknown) => void;

const muteAfter = 5;

/** The hooks of one set of taps, built when they are first called. A new set of taps is a new object: tapable has no untap. */
export class CompiledHooks {
  readonly taps: readonly TapRecord[];
  readonly #ports: HookPorts;
  readonly #compiled = new Map<string, { readonly count: number; readonly call: (input: unknown, call: Call) => unknown }>();

  constructor(taps: readonly TapRecord[], ports: HookPorts) {
    this.taps = taps;
    this.#ports = ports;
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

  #for(hook: Hook, root: string): { readonly count: number; readonly call: (input: unknown, call: Call) => unknown } {
    const key = `${hook.id}\0${root}`;
    let compiled = this.#compiled.get(key);
    if (compiled === undefined) {
      const taps = this.taps.filter((tap) => tap.hook.id === hook.id && (tap.activation.level !== 'project' || tap.activation.unit.root === root));
      compiled = { count: taps.length, call: compile(hook, inCallOrder(hook, taps), this.#ports) };
      this.#compiled.set(key, compiled);
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
  // Array sort is stable: within a level, plugin order and sequence stay.
  return [...taps].sort((a, b) => a.order - b.order || nearestFirst * (priorityOf(a.activation.level) - priorityOf(b.activation.level)));
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
      for (const tap of taps) compiled.tap(name(tap), (input, call) => runNow(tap, hook, input, call, ports) ?? undefined);
      return (input, call) => compiled.call(input, call);
    }
    case 'series': {
      const compiled = new AsyncSeriesHook<[unknown, Call]>(['input', 'call']);
      for (const tap of taps) compiled.tapAsync(name(tap), (input, call, done) => runSoon(tap, hook, input, call, ports, () => done()));
      return (input, call) => compiled.promise(input, call);
    }
    case 'gather': {
      const compiled = new AsyncParallelHook<[unknown, Call]>(['input', 'call']);
      for (const tap of taps) {
        compiled.tapAsync(name(tap), (input, call, done) =>
          runSoon(tap, hook, input, call, ports, (_error, answer) => {
            if (answer !== undefined && answer !== null) call.gathered.push(answer);
            done();
          }),
        );
      }
      return async (input, call) => {
        await compiled.promise(input, call);
        return call.gathered;
      };
    }
    case 'transform': {
      const compiled = new AsyncSeriesWaterfallHook<[unknown, Call]>(['value', 'call']);
      for (const tap of taps) compiled.tapAsync(name(tap), (value, call, done) => runSoon(tap, hook, value, call, ports, (_error, next) => done(null, next === undefined || next === null ? value : freezeTop(next))));
      return (input, call) => compiled.promise(input, call);
    }
    case 'decide': {
      const compiled = new AsyncSeriesBailHook<[unknown, Call], unknown>(['input', 'call']);
      for (const tap of taps) compiled.tapAsync(name(tap), (input, call, done) => runSoon(tap, hook, input, call, ports, (error, answer) => done(null, decided(tap, hook, error, answer, ports))));
      return (input, call) => compiled.promise(input, call);
    }
  }
}

/** What one tap of a `decide` comes to: its answer, no opinion, or, where the hook guards and the tap failed, a denial. */
function decided(tap: TapRecord, hook: Hook, error: Error | null | undefined, answer: unknown, ports: HookPorts): unknown {
  if (error) return hook.guard?.deny(`${tap.activation.id} failed: ${messageOf(error)}`);
  if (answer === undefined || answer === null) return undefined;
  if (hook.answer !== undefined) {
    const parsed = parse(hook.answer, answer);
    if (!parsed.ok) {
      const reason = `its answer is not one: ${parsed.issues.join('; ')}`;
      fail(tap, hook, new KernError('bad_answer', reason), ports);
      return hook.guard?.deny(`${tap.activation.id} failed: ${reason}`);
    }
  }
  if (hook.onlyFrom?.when(answer) === true && !hook.onlyFrom.levels.includes(tap.activation.level)) return undefined;
  return answer;
}

function fail(tap: TapRecord, hook: Hook, error: unknown, ports: HookPorts): void {
  ports.journal.failure(tap.activation.id, 'tap_failed', hook.id, error);
  tap.failures += 1;
  if (tap.failures < muteAfter || hook.guard !== undefined || tap.muted) return;
  tap.muted = true;
  ports.journal.add(tap.activation.id, 'warning', 'tap_muted', `plugin ${tap.activation.id} failed ${muteAfter} times in a row in ${hook.id} and is not asked there again until it is reloaded`);
}

const isSilent = (tap: TapRecord): boolean => tap.muted || tap.activation.state === 'gone';

/** Runs a tap that answers at once. A promise it returns all the same is watched for its failure only. */
function runNow(tap: TapRecord, hook: Hook, input: unknown, call: Call, ports: HookPorts): unknown {
  if (isSilent(tap)) return undefined;
  const { activation } = tap;
  const started = performance.now();
  activation.enter();
  try {
    const answer = ports.owners.run({ activation, view: call.view }, () => tap.fn(input as never));
    if (answer instanceof Promise) answer.catch((error) => fail(tap, hook, error, ports));
    else tap.failures = 0;
    return answer instanceof Promise ? undefined : answer;
  } catch (error) {
    fail(tap, hook, error, ports);
    return undefined;
  } finally {
    activation.hookMs += performance.now() - started;
    activation.leave();
  }
}

/** Runs a tap that may wait, within the hook's limit. `done` gets the error or the answer, once. */
function runSoon(tap: TapRecord, hook: Hook, input: unknown, call: Call, ports: HookPorts, done: Done): void {
  if (isSilent(tap)) return done();
  const { activation } = tap;
  const started = performance.now();
  let limit: Limit | undefined;
  const settle = (error: Error | undefined, answer?: unknown): void => {
    limit?.cancel();
    activation.hookMs += performance.now() - started;
    if (error === undefined) tap.failures = 0;
    else fail(tap, hook, error, ports);
    done(error ?? null, answer);
  };
  activation.enter();
  let answer: unknown;
  const clock: TapClock = { pause: () => limit?.pause(), resume: () => limit?.resume() };
  const running: Running = { activation, view: call.view, clock };
  try {
    answer = ports.owners.run(running, () => tap.fn(input as never));
  } catch (error) {
    activation.leave();
    return settle(asError(error));
  }
  if (!(answer instanceof Promise)) {
    activation.leave();
    return settle(undefined, answer);
  }
  let open = true;
  const once = (error: Error | undefined, value?: unknown): void => {
    if (!open) return;
    open = false;
    settle(error, value);
  };
  const ms = limitOf(hook);
  limit = new Limit(ms, ports.clock, () => once(new KernError('tap_late', `no answer within ${ms} ms`)));
  answer.then(
    (value) => once(undefined, value),
    (error) => once(asError(error)),
  ).finally(() => activation.leave());
}

/** A time limit that can stand still. */
class Limit {
  #left: number;
  readonly #clock: Clock;
  readonly #fn: () => void;
  #since = 0;
  #pauses = 0;
  #cancel: () => void = () => {};

  constructor(ms: number, clock: Clock, fn: () => void) {
    this.#left = ms;
    this.#clock = clock;
    this.#fn = fn;
    this.#arm();
  }

  #arm(): void {
    if (!Number.isFinite(this.#left)) return;
    this.#since = this.#clock.now();
    this.#cancel = this.#clock.after(Math.max(0, this.#left), this.#fn);
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1) return;
    this.#cancel();
    this.#left -= this.#clock.now() - this.#since;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#arm();
  }

  cancel(): void {
    this.#cancel();
    this.#left = Number.POSITIVE_INFINITY;
  }
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(messageOf(thrown)));

/** Freezes the top level, so that a late or failed tap has changed nothing. */
export function freezeTop<T>(value: T): T {
  return typeof value === 'object' && value !== null && isPlain(value) ? Object.freeze(value) : value;
}

/** For tests: freezes plain data all the way down. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || !isPlain(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) freezeDeep(part);
  return value;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}
