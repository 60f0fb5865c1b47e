import type { SpawnOptions, SpawnResult } from 'kern/plugin';

/** Runs a program to its end. */
export type Run = (command: string, args: readonly string[], options: SpawnOptions) => Promise<SpawnResult>;

export interface FetchPorts {
  readonly run: Run;
  readonly signal: AbortSignal;
}

/** What was fetched; its own files lie in the folder that was given. */
export interface Fetched {
  readonly resolved: string;
  /** SHA-512 of the tarball, where there was one. */
  readonly integrity: string | undefined;
  /** What lay in it and is no plain file, and was left out. */
  readonly leftOut: readonly string[];
}

export const minutes = 60_000;
