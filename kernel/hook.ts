import type { Level } from './capability.ts';
import type { Schema } from './schema.ts';

/**
 * event: told, at once. series: told in turn, awaited. decide: the first answer counts.
 * transform: a value passes through. gather: all answers. resolve: the first answer, at once.
 */
export type HookKind = 'event' | 'series' | 'decide' | 'transform' | 'gather' | 'resolve';

type Awaitable<T> = T | Promise<T>;

/** What a plugin writes for a hook of kind K. `undefined` or `null` is no opinion. */
export type TapFunction<K extends HookKind, I, A> = K extends 'event'
  ? (input: I) => void
  : K extends 'series'
    ? (input: I) => Awaitable<void>
    : K extends 'decide'
      ? (input: I) => Awaitable<A | undefined | null>
      : K extends 'transform'
        ? (value: I) => Awaitable<I | undefined | null>
        : K extends 'gather'
          ? (input: I) => Awaitable<A | undefined | null>
          : (input: I) => A | undefined | null;

/** What the caller of a hook gets. */
export type CallResult<K extends HookKind, I, A> = K extends 'event'
  ? undefined
  : K extends 'series'
    ? Promise<void>
    : K extends 'decide'
      ? Promise<A | undefined>
      : K extends 'transform'
        ? Promise<I>
        : K extends 'gather'
          ? Promise<readonly A[]>
          : A | undefined;

/** A named moment. A row in the contract of the plugin that fires it. */
export interface Hook<K extends HookKind = HookKind, I = unknown, A = unknown> {
  readonly token: 'hook';
  readonly id: string;
  readonly kind: K;
  /** Answers of `decide`, and where it is given of `transform` and `gather`, are parsed; one that does not parse counts as a failure. */
  readonly answer?: Schema<A>;
  /** A guarding hook denies when a tap fails, is late, or its keeper is missing. `deny` makes that answer. */
  readonly guard?: { readonly keeper?: string; readonly deny: (reason: string) => A };
  /** Answers for which `when` is true count only from taps of these levels. */
  readonly onlyFrom?: { readonly levels: readonly Level[]; when(answer: A): boolean };
  /** How long one tap may take, in ms. Default by kind: series and transform 5000, decide 30000, gather 2000. */
  readonly limitMs?: number;
  /** Carries the types; never there at run time. */
  readonly '~types'?: { readonly input: I; readonly answer: A };
}

export interface TapOptions {
  /** Lower comes first. Default 0. A keeper taps at 1000: nobody is asked about what another tap refuses. */
  readonly order?: number;
}

type Row = { readonly id: string; readonly limitMs?: number };

export const event = <I>(row: Row): Hook<'event', I, never> => ({ token: 'hook', kind: 'event', ...row });
export const series = <I>(row: Row): Hook<'series', I, never> => ({ token: 'hook', kind: 'series', ...row });
export const transform = <I>(row: Row & { readonly answer?: Schema<I> }): Hook<'transform', I, I> => ({
  token: 'hook',
  kind: 'transform',
  ...row,
});
export const gather = <I, A>(row: Row & { readonly answer?: Schema<A> }): Hook<'gather', I, A> => ({
  token: 'hook',
  kind: 'gather',
  ...row,
});
export const resolve = <I, A>(row: Row): Hook<'resolve', I, A> => ({ token: 'hook', kind: 'resolve', ...row });
export const decide = <I, A>(
  row: Row & Pick<Hook<'decide', I, A>, 'guard' | 'onlyFrom'> & { readonly answer: Schema<A> },
): Hook<'decide', I, A> => ({ token: 'hook', kind: 'decide', ...row });

/** The default time limit of one tap, in ms; `Infinity` where taps are synchronous. */
export function limitOf(hook: Hook): number {
  if (hook.limitMs !== undefined) return hook.limitMs;
  switch (hook.kind) {
    case 'series':
    case 'transform':
      return 5_000;
    case 'decide':
      return 30_000;
    case 'gather':
      return 2_000;
    default:
      return Number.POSITIVE_INFINITY;
  }
}
