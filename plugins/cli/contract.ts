import {
  type Context,
  defineCapability,
  defineService,
  type HookCost,
  type Level,
  type Origin,
  type TrustItem,
  type TrustState,
  type Verdict,
  type View,
} from 'kern/plugin';
import { z } from 'zod';

/** An option of a command. `names` as typed: `-p`, `--print`. */
export interface OptionDescriptor {
  readonly name: string;
  readonly names: readonly string[];
  readonly kind: 'boolean' | 'string' | 'list';
  /** Shown in help: `--model <provider/id>`. */
  readonly value?: string;
  readonly summary: string;
  /** Only these values. */
  readonly choices?: readonly string[];
  /** The value may be left out; it stands behind a `=`. Given without, it is the empty text. Of strings only. */
  readonly optional?: boolean;
}

export interface PositionalDescriptor {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** Takes all the rest. */
  readonly rest?: boolean;
}

/** What a command gets. Values by the descriptor's names; an option that was not given is undefined. */
export interface CommandArgs {
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly positionals: readonly string[];
  /** The options every command takes. */
  readonly shared: SharedOptions;
}

export interface SharedOptions {
  readonly cwd: string;
  readonly trust: boolean;
  readonly permissionMode: 'plan' | 'ask' | 'edits' | 'all' | undefined;
  readonly config: string | undefined;
  readonly extensions: readonly string[];
  readonly noExtensions: boolean;
  readonly json: boolean;
}

/** The streams and the kernel a command works with. */
export interface CommandHost {
  readonly stdin: NodeJS.ReadStream;
  /** stdin where something may have been piped in: a terminal, a closed stdin and `/dev/null` hold nothing. */
  readonly piped: NodeJS.ReadStream | undefined;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  readonly view: View;
  /** Prints one JSON value to stdout, and nothing else may. */
  json(value: unknown): void;
  /** A line on stdout. */
  print(line: string): void;
  /** A line on stderr. */
  say(line: string): void;
  readonly color: boolean;
}

/** One command line verb. `--help` reads the descriptor only; `run` answers with the exit code. */
export interface Command {
  /** `['tool', 'call']`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly details?: string;
  /** The heading it stands under in `kern --help`. Default: `Commands of plugins`. */
  readonly group?: string;
  /** Pairs of what it does and the line. */
  readonly examples: readonly (readonly [string, string])[];
  readonly options?: readonly OptionDescriptor[];
  readonly positionals?: readonly PositionalDescriptor[];
  /** Prints data, so `--json` is taken. */
  readonly json?: boolean;
  /** `builtins`: nothing of the user's or the project's is loaded for it. Default `all`. */
  readonly boots?: 'builtins' | 'all';
  /** A word too many may be a secret: it is not repeated, and this is said of it. */
  readonly takesSecrets?: string;
  /** It runs also where the config keeps a built-in from loading: for what shows or mends the config. */
  readonly mends?: boolean;
  /** What did not load may be what it is about: that is told on stderr also where nobody watches. */
  readonly tellsFaults?: boolean;
  run(ctx: Context, args: CommandArgs, host: CommandHost): Promise<number>;
}

/** The verbs of the command line. Key: their words. */
export const commands = defineCapability<Command>({
  id: 'command',
  schema: z.custom<Command>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'path' in value &&
      Array.isArray(value.path) &&
      value.path.length > 0 &&
      'summary' in value &&
      'examples' in value &&
      Array.isArray(value.examples) &&
      value.examples.length > 0 &&
      'run' in value &&
      typeof value.run === 'function',
    'a command is {path, summary, examples (at least one), run(ctx, args, host)}',
  ),
  key: (command) => command.path.join(' '),
});

/** An option that a plugin adds to `kern [message…]`; the plugin reads it with the `flags` reader of its commands. */
export interface Flag {
  readonly name: string;
  readonly kind: 'boolean' | 'string';
  /** Shown in help, of a string: `<file>`. */
  readonly value?: string;
  readonly summary: string;
  apply?(value: string | boolean, ctx: Context): void | Promise<void>;
}

/** Options of `kern [message…]` that plugins add. Key: the name. */
export const flags = defineCapability<Flag>({
  id: 'flag',
  schema: z.custom<Flag>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'name' in value &&
      typeof value.name === 'string' &&
      /^[a-z][a-z0-9-]*$/.test(value.name) &&
      'kind' in value &&
      'summary' in value,
    'a flag is {name (lower case, dashes), kind: boolean or string, summary}',
  ),
  key: (flag) => flag.name,
});

/** JSON Schema of something that people or programs write or read: `kern schema <name>`, and schemas/<name>.json. */
export interface SchemaSource {
  readonly name: string;
  readonly summary: string;
  make(view: View): Promise<Readonly<Record<string, unknown>>>;
}

/** Descriptions of files and shapes, made when they are asked for. */
export const schemas = defineCapability<SchemaSource>({
  id: 'schema',
  schema: z.custom<SchemaSource>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'name' in value &&
      typeof value.name === 'string' &&
      /^[a-z][a-z0-9-]*$/.test(value.name) &&
      'summary' in value &&
      'make' in value &&
      typeof value.make === 'function',
    'a schema is {name (lower case, dashes), summary, make(view)}',
  ),
  key: (source) => source.name,
});

// --- The workbench: what commands need to know of the whole ------------------------------------------------------
// Implemented by plugins/cli/workbench.ts over what compose.ts made.

/** What a plugin took in one run. */
export interface PluginRunCost {
  /** When the run ended. */
  readonly at: string;
  readonly hooks: readonly HookCost[];
  readonly errors: number;
  readonly lastError?: string;
}

/** A plugin as `kern plugins --json` prints it. */
export interface PluginReport {
  readonly id: string;
  readonly level: Level;
  readonly state: 'active' | 'idle' | 'off' | 'blocked' | 'failed' | 'draining';
  readonly revision: number;
  readonly source: string;
  readonly contributes: readonly {
    readonly capability: string;
    readonly key: string | null;
    readonly verdict: Verdict['state'] | 'unknown';
  }[];
  readonly taps: readonly string[];
  /** What it took to load its code, and to set it up. */
  readonly loadMs: number;
  readonly startMs: number;
  readonly hookMs: number;
  /** What its taps took so far, by hook; those that were called. */
  readonly hooks: readonly HookCost[];
  /** An estimate of what its tools add to each request. */
  readonly promptTokens: number;
  readonly failure?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** What went wrong in it so far, whatever became of it. */
  readonly errors?: { readonly count: number; readonly last: { readonly code: string; readonly message: string } };
  /** What it took in the last run that ended. */
  readonly lastRun?: PluginRunCost;
  /** Who switched it off, or why it is blocked. */
  readonly by?: string;
  readonly description?: string;
}

/** A supplier of items as `kern providers --json` prints it. */
export interface ProviderReport {
  readonly id: string;
  readonly displayName: string;
  readonly priority: number;
  readonly state: 'on' | 'off';
  /** Items by capability, losers too. */
  readonly counts: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
  /** Of a provider of what was found: whether its items of a level are taken, and who switched them off. */
  readonly levels?: Readonly<Record<'user' | 'project', { readonly state: 'on' | 'off'; readonly by?: string }>>;
}

/** One item, with its place among the others of its key. */
export interface EntryReport {
  readonly key: string | null;
  readonly origin: Origin;
  readonly verdict: Verdict;
  /** It has won, and nobody does anything with it: why. */
  readonly unused?: string;
}

/** A supplier with each of its items. */
export interface ProviderItems {
  readonly provider: ProviderReport;
  readonly items: readonly (EntryReport & { readonly capability: string })[];
}

export type WritableLevel = 'user' | 'project';

export interface ValueReport {
  readonly key: string;
  readonly value: unknown;
  readonly origin: { readonly layer: string; readonly file?: string; readonly line?: number };
}

/** A setting as pages, editors and schemas show it. */
export interface SettingReport {
  readonly key: string;
  /** The keys of the file that lead to it. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly default: unknown;
  /** What it may be, as JSON Schema; missing where nothing can be said. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** The variable of the environment that sets it. */
  readonly variable?: string;
  /** A project may set it. */
  readonly project: boolean;
}

export interface ConfigProblemReport {
  readonly file?: string;
  readonly line?: number;
  readonly key?: string;
  readonly message: string;
}

export interface WorkbenchConfig {
  /** Throws `config_unknown_key`, with near names, for a key that nobody knows. */
  get(key: string): Promise<ValueReport>;
  list(): Promise<readonly ValueReport[]>;
  /** Everything that can be set, whoever set it or nobody; those of idle plugins too. */
  settings(): Promise<readonly SettingReport[]>;
  /** Answers with the file that was written. Throws `config_bad_value`, `config_unknown_key`. */
  set(key: string, value: unknown, level: WritableLevel): Promise<string>;
  unset(key: string, level: WritableLevel): Promise<string>;
  /** Throws what `set` would throw for a value, and writes nothing. */
  check(key: string, value: unknown): Promise<void>;
  /** The files of the layers, in order of precedence, lowest first; also where none is yet. */
  files(): readonly {
    readonly layer: string;
    readonly file: string;
    readonly exists: boolean;
    readonly shadowed: boolean;
  }[];
  problems(): Promise<readonly ConfigProblemReport[]>;
}

export interface TrustReport {
  readonly root: string;
  readonly state: 'trusted' | 'untrusted' | 'changed' | 'nothing';
  readonly items: readonly {
    readonly kind: TrustItem['kind'];
    readonly id: string;
    readonly path?: string;
    readonly sha256: string;
    readonly state: TrustState;
    /** Who found it; missing for an extension of kern's own folders. */
    readonly provider?: string;
    /** What would run, or where it would connect, in one line. */
    readonly runs: string;
    /** kern does not run it by itself, or not yet: why. */
    readonly notBy?: string;
    readonly reason: string;
    /** When it was decided. */
    readonly at?: string;
    readonly denied?: true;
  }[];
}

/** What of an item is not as it was granted: with its text then and now, where a person can read it. */
export interface TrustChanges {
  readonly kind: TrustItem['kind'];
  readonly id: string;
  readonly changes: readonly {
    /** `definition`, or a file of the project. */
    readonly part: string;
    readonly change: 'added' | 'changed' | 'removed';
    readonly before?: string;
    readonly after?: string;
  }[];
}

export interface WorkbenchTrust {
  status(): Promise<TrustReport>;
  /** All that the project declares, or what `items` (`kind:id`, or a file) names. Nothing of it is loaded by that. */
  grant(items?: readonly string[]): Promise<TrustReport>;
  revoke(items?: readonly string[]): Promise<TrustReport>;
  /** The same as `status` of an item, or of all, and what is wrong with the ledger. */
  why(item?: string): Promise<TrustReport & { readonly problems: readonly string[] }>;
  /** What changed since it was granted, of what changed. */
  changes(items?: readonly string[]): Promise<readonly TrustChanges[]>;
}

/** A file of the project that did not run because nobody trusted it. */
export interface BlockedItem {
  readonly kind: TrustItem['kind'];
  readonly id: string;
  readonly path: string;
  readonly state: Exclude<TrustState, 'trusted'>;
}

/** A second house in the same process, for what must not touch this one: the demo. */
export interface Elsewhere extends AsyncDisposable {
  readonly view: View;
}

export interface ElsewhereOptions {
  readonly cwd: string;
  /** Stands for KERN_HOME. */
  readonly home: string;
  readonly trust: boolean;
  readonly permissionMode: SharedOptions['permissionMode'];
}

/** A warning or an error that somebody should know of. */
export interface Complaint {
  readonly plugin: string;
  readonly severity: 'warning' | 'error';
  readonly code: string;
  readonly message: string;
}

export interface Workbench {
  /** kern itself: where its package lies, and whether it runs from its sources. */
  readonly program: { readonly version: string; readonly root: string; readonly fromSource: boolean };
  readonly home: string;
  readonly root: string;
  plugins(): Promise<readonly PluginReport[]>;
  /** Why no plugin of the user's can take the place of this built-in; undefined where one can. */
  whyNotReplaced(id: string): string | undefined;
  /** Writes `plugins.<id>`; answers with the file. Throws `plugin_unknown` with near names. */
  switchPlugin(id: string, on: boolean, level: WritableLevel): Promise<string>;
  providers(): Promise<readonly ProviderReport[]>;
  /** Throws `provider_unknown` with near names. */
  provider(id: string): Promise<ProviderItems>;
  /**
   * A provider, one level of it (`claude:user`), or a single item (`skill:review`); answers with the file. Throws
   * `provider_unknown` with near names.
   */
  switchProvider(id: string, on: boolean, level: WritableLevel): Promise<string>;
  /** Ids of what plugins can supply. */
  capabilities(): readonly string[];
  /** Everything that is offered of a capability. Throws `capability_unknown` with near names. */
  entries(capability: string): Promise<readonly EntryReport[]>;
  blocked(): readonly BlockedItem[];
  /** Files in extension folders that are no extension, and why. */
  strays(): readonly { readonly path: string; readonly message: string }[];
  /** Warnings and errors so far. */
  complaints(): readonly Complaint[];
  /** Tells warnings and errors from now on, each once; answers with the end of it. What is blocked is not among them. */
  onComplaint(listener: (complaint: Complaint) => void): () => void;
  readonly config: WorkbenchConfig;
  readonly trust: WorkbenchTrust;
  /** Loads every extension anew from its files; resolves when the change is through. One that fails keeps its old version. */
  reload(): Promise<void>;
  elsewhere(options: ElsewhereOptions): Promise<Elsewhere>;
  /** Starts watching files, if nothing has yet: after the first model request has left, so that no start pays for it. */
  watch(): void;
}

/** What commands need to know of the whole: plugins, providers, config, trust. */
export const workbench = defineService<Workbench>({ id: 'workbench', level: 'builtin' });
