import { defineService, type SpawnOptions, type SpawnResult } from 'kern/plugin';

/** The supervisor's token and shapes stand in the kernel, because `ctx.spawn` is bound to them. */
export type { Child, Processes, SpawnOptions, SpawnResult } from 'kern/plugin';
export { processes } from 'kern/plugin';

/** A command that runs while the conversation goes on. */
export interface Job {
  /** `j1`, `j2`…: within this process. */
  readonly id: string;
  /** What runs, in words. */
  readonly label: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** The file that gets all of its output, and its number among the artifacts. */
  readonly log: { readonly id: string; readonly path: string };
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly pid: number | undefined;
  /** Undefined while it runs. `failure`: it could not be started. */
  readonly end: { readonly result: SpawnResult } | { readonly failure: unknown } | undefined;
  /** Resolves when it is over, however. */
  readonly over: Promise<void>;
  /** Its output since the last call: at most the last `bytes` of it, and how much before that was left out. */
  readNew(bytes: number): { readonly bytes: Uint8Array; readonly skipped: number };
  /** The same, and the next call gives it again. */
  peekNew(bytes: number): { readonly bytes: Uint8Array; readonly skipped: number };
  /** Whoever started it has been told that it is over, or ended it: no notice is needed. */
  isKnown(): boolean;
  setKnown(isKnown: boolean): void;
  /** Ends its whole tree. */
  kill(): Promise<void>;
}

export interface JobRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: Pick<SpawnOptions, 'env' | 'timeoutMs' | 'terminal' | 'limits' | 'owner'> & {
    readonly cwd: string;
  };
  readonly label: string;
  readonly sessionId: string;
  readonly log: { readonly id: string; readonly path: string };
}

/** Commands in the background. They end with the process that owns the session. */
export interface Jobs {
  /** Fails with `too_many_jobs` where a hundred run. */
  start(request: JobRequest): Job;
  /** Those of a session, or all; the last hundred that ended are among them. */
  list(sessionId?: string): readonly Job[];
}

/** Knows the commands in the background. */
export const jobs = defineService<Jobs>({ id: 'jobs', level: 'builtin' });

/** Runs shell commands elsewhere: on another machine, in a sandbox, in a test. Without one: here, through the supervisor. */
export interface BashOperations {
  /** `onData` gets both streams in the order they came. Ends all of it when the signal aborts or the time is over. */
  exec(
    command: string,
    cwd: string,
    options: {
      readonly env: Readonly<Record<string, string>>;
      readonly timeoutMs: number;
      readonly signal: AbortSignal;
      onData(chunk: Uint8Array): void;
    },
  ): Promise<{ readonly exitCode: number | undefined; readonly signal?: string; readonly timedOut?: boolean }>;
}

/** Where the tool bash runs its commands. */
export const bashOperations = defineService<BashOperations>({ id: 'bashOperations', level: 'user' });
