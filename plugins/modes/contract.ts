import { defineCapability } from 'kern/plugin';
import { z } from 'zod';
import type { AgentSession, Prompt } from '../agent/contract.ts';

/** What a mode is given to work with. */
export interface ModeRun {
  readonly session: AgentSession;
  /** The prompts of the command line, in order; empty where a mode reads its own. */
  readonly prompts: readonly Prompt[];
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  readonly stdin: NodeJS.ReadableStream;
  /** Only what was asked for. */
  readonly stdout: NodeJS.WritableStream;
  /** Progress and notices. */
  readonly stderr: NodeJS.WritableStream;
  /** Colour may be used on stderr. */
  readonly color: boolean;
}

/** A front of kern: print, json, rpc, interactive. Answers with the exit code. */
export interface Mode {
  readonly id: string;
  readonly summary: string;
  run(run: ModeRun): Promise<number>;
}

/** The fronts of kern. Key: the id, which is what `--mode` takes. */
export const modes = defineCapability<Mode>({
  id: 'mode',
  schema: z.custom<Mode>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      'id' in value &&
      typeof value.id === 'string' &&
      'run' in value &&
      typeof value.run === 'function',
    'a mode is {id, summary, run(run)}',
  ),
  key: (mode) => mode.id,
});
