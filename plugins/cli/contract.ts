import { type Context, defineCapability, type View } from 'kern/plugin';
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
  /** Pairs of what it does and the line. */
  readonly examples: readonly (readonly [string, string])[];
  readonly options?: readonly OptionDescriptor[];
  readonly positionals?: readonly PositionalDescriptor[];
  /** Prints data, so `--json` is taken. */
  readonly json?: boolean;
  /** What must be loaded: `none` for nothing of the project, `all` for everything. Default `all`. */
  readonly boots?: 'builtins' | 'all';
  run(ctx: Context, args: CommandArgs, host: CommandHost): Promise<number>;
}

export const commands = defineCapability<Command>({
  id: 'command',
  schema: z.custom<Command>(
    (value) => typeof value === 'object' && value !== null && 'path' in value && Array.isArray(value.path) && value.path.length > 0 && 'summary' in value && 'examples' in value && Array.isArray(value.examples) && value.examples.length > 0 && 'run' in value && typeof value.run === 'function',
    'a command is {path, summary, examples (at least one), run(ctx, args, host)}',
  ),
  key: (command) => command.path.join(' '),
});

/** An option that a plugin adds to `kern [message…]`; the plugin reads it with the `flags` reader of its commands. */
export interface Flag {
  readonly name: string;
  readonly kind: 'boolean' | 'string';
  readonly summary: string;
  apply?(value: string | boolean, ctx: Context): void;
}

export const flags = defineCapability<Flag>({
  id: 'flag',
  schema: z.custom<Flag>((value) => typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string' && /^[a-z][a-z0-9-]*$/.test(value.name) && 'kind' in value && 'summary' in value, 'a flag is {name (lower case, dashes), kind: boolean or string, summary}'),
  key: (flag) => flag.name,
});
