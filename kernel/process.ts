import { defineService } from './capability.ts';

/** How a child is started. Always an argument array, never a line for a shell. */
export interface SpawnOptions {
  /** Default: the working directory of the view. */
  readonly cwd?: string;
  /** Added to the cleaned environment of kern; `undefined` removes a name. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Text or bytes for stdin, which is closed after it. Default: an empty, closed stdin. `pipe` keeps it open. */
  readonly input?: string | Uint8Array | 'pipe';
  /** In ms; the whole tree gets SIGTERM, then SIGKILL. Default: none. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Each chunk in the order it came, from both streams. With `merge` its memory is used again after the call. */
  readonly onOutput?: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void;
  /** How many bytes of each stream are kept for the result. Default 1 MiB, the end is kept. */
  readonly keepBytes?: number;
  /** stderr goes where stdout goes: one stream, in the order it was written. The result's `stderr` stays empty. */
  readonly merge?: boolean;
  /** What is printed goes to this file as well (0600, at its end), up to 1 GiB. */
  readonly spillTo?: string;
  /** A terminal in the place of pipes: one stream, in the order it was written. Needs the optional package of the supervisor. */
  readonly terminal?: TerminalOptions;
  /** What its tree may use; what goes over is ended at once. */
  readonly limits?: ProcessLimits;
  /** For the list of what runs. Default: the command. */
  readonly label?: string;
  /** The plugin it runs for, in the list of what runs. */
  readonly owner?: string;
}

export interface TerminalOptions {
  readonly columns: number;
  readonly rows: number;
  /** Something of the tree has been reading from the terminal for a while, and nobody types. */
  readonly onWaiting?: () => void;
}

/** Looked at several times a second. */
export interface ProcessLimits {
  /** Resident memory of the tree. Default: a setting of the supervisor. */
  readonly memoryBytes?: number;
  /** Processes in the tree. Default 512. */
  readonly processes?: number;
  /** Bytes of output. Default: none. */
  readonly outputBytes?: number;
}

/** How a child ended. `exitCode` is undefined when a signal ended it or it never started. */
export interface SpawnResult {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** The limit it went over and was ended for. */
  readonly overLimit?: 'memory' | 'processes' | 'output';
  /** How much of the output `spillTo` holds: a full disk, or a full file, keeps the rest out. */
  readonly spilled?: 'whole' | 'partly';
  /** Bytes that were not kept. */
  readonly dropped: number;
  readonly durationMs: number;
}

export interface Child {
  readonly pid: number | undefined;
  /** Comes on exit (and a short grace for output), never on closed pipes. Rejects only when the program cannot be started. */
  readonly result: Promise<SpawnResult>;
  /** Only with `input: 'pipe'`. */
  write(data: string | Uint8Array): void;
  end(): void;
  /** Ends the whole tree: SIGTERM, then SIGKILL after `graceMs` (default 2000). */
  kill(graceMs?: number): Promise<void>;
}

/** The process supervisor: everything kern starts is started here. */
export interface Processes {
  /** What a child gets before its starter's additions: the environment of kern without keys. */
  environment?(): Readonly<Record<string, string>>;
  spawn(command: string, args: readonly string[], options?: SpawnOptions): Child;
  /** What runs now. */
  list(): readonly {
    readonly pid: number;
    readonly label: string;
    readonly startedAt: number;
    readonly owner: string | undefined;
  }[];
  /** Ends everything at once, synchronously as far as the system allows: the last act of a crash. */
  killAllNow(): void;
  /** Ends everything and waits until it is gone. */
  killAll(graceMs?: number): Promise<void>;
}

/** Starts programs, and ends them whole. The one service whose shape the kernel knows: `ctx.spawn` is bound to it. */
export const processes = defineService<Processes>({ id: 'processes', level: 'builtin' });
