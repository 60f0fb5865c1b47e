import { anything, type Schema } from './schema.ts';

/** Where a plugin or an item came from. It decides precedence: session 400, project 300, user 200, built-in 100. */
export type Level = 'builtin' | 'user' | 'project' | 'session';

/** A named kind of thing that plugins supply. Import the value and use it; never spell its id. */
export interface Capability<T> {
  readonly token: 'capability';
  readonly id: string;
  readonly schema: Schema<T>;
  /** Two items with the same key are the same thing: the first wins. `undefined` is never deduped. */
  readonly key: (item: T) => string | undefined;
  /** For kinds that are plain data: the form in which an item is handed out. */
  readonly normalize?: (item: T) => T;
  /** For kinds with a life of their own: an item made from a manifest line, which wakes its plugin when it is used. */
  readonly stub?: (descriptor: unknown, wake: () => Promise<T>) => T;
  /** Who may supply it. Missing: everyone. */
  readonly from?: readonly Level[];
}

export interface Origin {
  readonly plugin: string;
  readonly provider: string;
  readonly priority: number;
  readonly level: Level;
  readonly path?: string;
}

export type Verdict =
  | { readonly state: 'won' }
  | { readonly state: 'shadowed'; readonly by: Origin }
  | { readonly state: 'invalid'; readonly issues: readonly string[] }
  | { readonly state: 'disabled'; readonly by: string }
  | { readonly state: 'untrusted' };

export interface Entry<T> {
  readonly item: T;
  readonly key: string | undefined;
  readonly origin: Origin;
  readonly verdict: Verdict;
}

/** The place from which a snapshot is seen. `root` is the project and `cwd` lies in it; `home` is KERN_HOME. */
export interface Where {
  readonly cwd: string;
  readonly root: string;
  readonly home: string;
  /** The person's own folder, `~`. Missing: as the system has it. */
  readonly user?: string;
}

export interface ProvidedItem<T> {
  readonly item: T;
  readonly level?: 'user' | 'project';
  readonly path?: string;
  /** The file in whose favour the provider leaves it out: it is listed as shadowed by that, and nothing more. */
  readonly givesWayTo?: string;
}

export interface ProviderAnswer<T> {
  readonly items: readonly ProvidedItem<T>[];
  /** Shown with the provider's display name. */
  readonly warnings?: readonly string[];
  /**
   * Files and folders this answer depends on, also absent ones: a change asks the provider again. A path that ends in a
   * slash stands for a folder and the names in it: what is written in there, or happens further down, asks nobody.
   */
  readonly watch?: readonly string[];
}

/** Answers for a working directory. One that throws or is late becomes a warning; a late answer joins when it comes. */
export interface Provider<T> {
  readonly id: string;
  readonly displayName: string;
  readonly description?: string;
  /** Orders only within a level; higher first. */
  readonly priority: number;
  /** How long a reader waits, in ms. Default 2000. */
  readonly limitMs?: number;
  /** Of a level that is not in `levels` nothing is wanted, and nothing is to be read. */
  load(
    where: Where,
    signal: AbortSignal,
    levels: readonly ('user' | 'project')[],
  ): ProviderAnswer<T> | Promise<ProviderAnswer<T>>;
}

/** Declares a kind of thing. The plugin that owns it lists the token under `declares`. */
export function defineCapability<T>(definition: Omit<Capability<T>, 'token'>): Capability<T> {
  return Object.freeze({ ...definition, token: 'capability' as const });
}

/** A kind whose items carry a schema of their arguments: `parameters` types what `execute` gets. */
export interface CallableCapability<T> extends Capability<T> {
  readonly callable: true;
}

export function defineCallableCapability<T>(definition: Omit<Capability<T>, 'token'>): CallableCapability<T> {
  return Object.freeze({ ...definition, token: 'capability' as const, callable: true as const });
}

/** T, with the type of its arguments taken from its own `parameters`. */
export type TypedByParameters<T, A> = Omit<T, 'parameters' | 'execute' | 'effects'> & {
  readonly parameters: Schema<A>;
  execute: T extends { execute(id: string, args: never, ...rest: infer R): infer Result }
    ? (id: string, args: A, ...rest: R) => Result
    : never;
  effects?: T extends { effects?(args: never, ...rest: infer R): infer Result }
    ? (args: A, ...rest: R) => Result
    : never;
};

/** A capability with one winner that is code. `level` says who may supply it: with `builtin` nobody else. */
export interface Service<T> extends Capability<T> {
  readonly service: true;
}

export function defineService<T extends object>(definition: {
  readonly id: string;
  readonly level?: 'builtin' | 'user';
}): Service<T> {
  const from: readonly Level[] = definition.level === 'builtin' ? ['builtin'] : ['builtin', 'user', 'session'];
  return Object.freeze({
    token: 'capability' as const,
    service: true as const,
    id: definition.id,
    schema: anything<T>(),
    key: () => definition.id,
    from,
  });
}
