import type {
  CallableCapability,
  Capability,
  Entry,
  Level,
  Provider,
  Service,
  TypedByParameters,
  Where,
} from './capability.ts';
import type { CallResult, Hook, HookKind, TapFunction, TapOptions } from './hook.ts';
import type { Child, SpawnOptions } from './process.ts';
import type { Schema } from './schema.ts';
import type { SessionHandle, Ui } from './session.ts';

/** A capability, a service or a hook, told by its id. */
export type Token = { readonly token: 'capability'; readonly id: string } | HookToken;
export interface HookToken {
  readonly token: 'hook';
  readonly id: string;
  readonly kind: HookKind;
}

/** A setting that stands outside `plugins.<id>`, with what follows from it. */
export interface DeclaredSetting<T = unknown> {
  /** A built-in's is what it likes; another's begins with its id and a dot. */
  readonly key: string;
  readonly schema: Schema<T>;
  readonly default: T | undefined;
  readonly summary: string;
  /** A project may set it too: nothing may depend on it that guards against the project. */
  readonly project?: boolean;
  /** The environment may set it: `KERN_` and the key in capitals, or the name given here. */
  readonly env?: boolean | string;
  /** Keys it had in older versions: a file that has one still counts, and is rewritten with a copy of the old one beside it. */
  readonly was?: readonly string[];
  /** Called when the plugin starts, and while it is live at every new value. */
  effect?(value: T, ctx: Context): void;
}

/** A plugin: what it declares and requires, and a `setup` that registers. */
export interface PluginDefinition<C = unknown> {
  readonly id: string;
  readonly description?: string;
  /** Ids of plugins that must be live, and come before this one. */
  readonly requires?: readonly string[];
  /** Ids of plugins that come before this one where they are there. */
  readonly after?: readonly string[];
  /** The tokens whose contract is this plugin's. */
  readonly declares?: readonly Token[];
  /** The settings under `plugins.<id>`. */
  readonly config?: Schema<C>;
  /** Settings of its own outside `plugins.<id>`. */
  readonly settings?: readonly DeclaredSetting[];
  /** A user-level plugin may take the place of a built-in. */
  readonly replaces?: string;
  /** Registers. A promise is awaited; any other answer is ignored. */
  setup(ctx: Context<C>): unknown;
}

/** Types a plugin; the value is the plugin. */
export function definePlugin<C = undefined>(definition: PluginDefinition<C>): PluginDefinition<C> {
  return definition;
}

/** Undoes or releases, once. */
export interface Handle extends Disposable {
  dispose(): void;
}

/** One item that is offered. */
export interface Offered extends Handle {
  withdraw(): void;
}

/** A live group of items; `replace` swaps all of it in one step. */
export interface Group<T> extends Handle {
  replace(items: readonly T[]): void;
  withdraw(): void;
}

export interface ContributeOptions {
  /** Default by level: session 400, project 300, user 200, built-in 100. */
  readonly priority?: number;
  /** The file it came from, for `--why`. */
  readonly path?: string;
}

export interface EntriesOptions {
  /** Only these providers. */
  readonly providers?: readonly string[];
  /** All but these. */
  readonly exclude?: readonly string[];
}

/** Asks for items at the moment they are needed; never keeps them. */
export interface Reader<T> {
  /** Wakes the plugins that supply it (with `key`, only those that may have that one) and waits for its providers, each up to its limit. */
  load(signal?: AbortSignal, key?: string): Promise<void>;
  /** The winners, in order of precedence, as known now. */
  items(): readonly T[];
  /** Everything, losers too. */
  entries(options?: EntriesOptions): readonly Entry<T>[];
  /** The winner of a key. */
  get(key: string): Entry<T> | undefined;
  /** The providers that are asked and have not answered yet, or never could: what they supply may be there all the same. */
  missing(): readonly string[];
}

/** A value that survives reloads. */
export interface State<T> {
  value: T;
}

/** A resource that outlives the plugin's revision: a connection, a terminal, a port. */
export interface Kept<T> {
  readonly value: T;
  readonly release: () => void | Promise<void>;
}

/** The extensions' own bus. Ids start with the plugin's id and a slash by custom. */
export interface Events {
  on(name: string, listener: (payload: unknown) => void): Handle;
  emit(name: string, payload?: unknown): void;
}

export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
}

/** Something executable that a project declares, as it is presented to the gate. */
export interface TrustItem {
  readonly kind: 'plugin' | 'hook' | 'mcp' | 'command' | 'env' | 'agent' | 'skill' | 'setting';
  readonly id: string;
  /** The file it stands in; for a plugin its entry. */
  readonly path?: string;
  /** What would run: for anything but a plugin, its effective definition. */
  readonly definition?: unknown;
  /** Files of the project that it names or loads. */
  readonly files?: readonly string[];
}

export type TrustState = 'trusted' | 'untrusted' | 'changed';

export interface TrustGate {
  /** Whether it may run. A project's item only; what the user owns is trusted. */
  check(item: TrustItem): Promise<TrustState>;
  /** Why nobody can trust it as it is, so that granting it would not help; undefined where they can. */
  unbound?(item: TrustItem): Promise<string | undefined>;
}

/** The scope of one activation. Everything registered through it is gone when the plugin is. Used later, it throws. */
export interface Context<C = unknown> {
  readonly id: string;
  readonly level: Level;
  readonly revision: number;
  readonly config: C;
  readonly where: Where;
  /** Aborted when the plugin is removed, or replaced and drained. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly events: Events;
  readonly trust: TrustGate;
  readonly ui: Ui;
  /** The session this call runs in; throws `no_session` outside one. */
  readonly session: SessionHandle;

  tap<K extends HookKind, I, A>(hook: Hook<K, I, A>, fn: TapFunction<K, I, A>, options?: TapOptions): void;
  contribute<T, A>(
    capability: CallableCapability<T>,
    item: TypedByParameters<T, A>,
    options?: ContributeOptions,
  ): Offered;
  contribute<T>(capability: Capability<T>, item: T, options?: ContributeOptions): Offered;
  offer<T>(capability: Capability<T>, group: string, options?: ContributeOptions): Group<T>;
  provide<T>(capability: Capability<T>, provider: Provider<T>): Handle;

  use<T>(capability: Capability<T>): Reader<T>;
  service<T extends object>(token: Service<T>): T;
  call<K extends HookKind, I, A>(hook: Hook<K, I, A>, input: I): CallResult<K, I, A>;
  /** The merged setting of a key, as of now: `model`, `tools.execution`. */
  setting(key: string): unknown;
  /** Sees one set of plugins until it is released. */
  pin(): View;
  /** Every call into an item goes through here: its owner answers for it, and it stays loaded meanwhile. */
  run<T, R>(entry: Entry<T>, fn: (item: T) => R | Promise<R>): Promise<R>;
  hold<T>(entry: Entry<T>): Handle;

  state<T>(name: string, schema: Schema<T>, initial: () => T): State<T>;
  keep<T>(
    key: string,
    fingerprint: string,
    acquire: () => Kept<T> | Promise<Kept<T>>,
    options?: { readonly exclusive?: boolean },
  ): Promise<T>;
  defer(fn: () => void | Promise<void>): void;
  onStart(fn: () => void | Promise<void>): void;
  /** The last chance when the process ends badly: synchronous, once. */
  onCrash(fn: () => void): void;
  interval(fn: () => void, ms: number): Handle;
  timeout(fn: () => void, ms: number): Handle;
  spawn(command: string, args: readonly string[], options?: SpawnOptions): Child;
  watch(paths: readonly string[], fn: (changed: readonly string[]) => void): Handle;
  /** Says which files this code has just written, so that no reload waits for a file event. */
  touched(paths: readonly string[]): void;
  /** A named channel of lines for what does not belong on the screen. */
  channel(name: string): { write(line: string): void };
  /** Stops the clock of the hook call around it while a person is being asked. */
  asking<T>(promise: Promise<T>): Promise<T>;
}

/** A snapshot seen from one place. */
export interface View extends Disposable {
  readonly where: Where;
  readonly pinned: boolean;
  /** The session that looks, and the person in front of it. */
  session: SessionHandle | undefined;
  ui: Ui;
  use<T>(capability: Capability<T>): Reader<T>;
  service<T extends object>(token: Service<T>): T;
  call<K extends HookKind, I, A>(hook: Hook<K, I, A>, input: I): CallResult<K, I, A>;
  /** Whether any tap listens: callers on hot paths ask first. */
  taps(hook: HookToken): number;
  run<T, R>(entry: Entry<T>, fn: (item: T) => R | Promise<R>): Promise<R>;
  hold<T>(entry: Entry<T>): Handle;
  /** One set of plugins, from now until it is disposed. */
  pin(): View;
  /** Items only this view sees, at session level. */
  offer<T>(capability: Capability<T>, group: string, items: readonly T[]): Group<T>;
  /** Hides winners: the answer names who hid them, `undefined` lets them be. */
  mask<T>(capability: Capability<T>, hide: (entry: Entry<T>) => string | undefined): Handle;
  /** Runs `fn` so that every `ctx` used inside looks through this view. */
  enter<R>(fn: () => R): R;
  /** Resolves when queued changes are through, at the latest after `limitMs`. */
  settled(limitMs: number): Promise<void>;
  /** Says which files were just written, so that no reload waits for a file event. */
  touched(paths: readonly string[]): void;
  /** The merged setting of a key, as of now: `model`, `tools.execution`. */
  setting(key: string): unknown;
}
