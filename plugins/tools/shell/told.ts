import type { SpawnResult } from 'kern/plugin';
import { formatOutputNotice } from '../output-meta.ts';
import { truncationOfOutput } from '../result-builder.ts';
import { asksForInput, wantsTerminal } from './asks-for-input.ts';
import type { Output } from './sink.ts';

/** What is to be said of the end of a command, unless it was a good one. */
export function howItEnded(
  result: Omit<SpawnResult, 'stdout' | 'stderr' | 'dropped'>,
  timeout?: number,
): string | undefined {
  const { exitCode, signal, timedOut, aborted, overLimit } = result;
  if (aborted) return 'Command aborted; all it had started was ended.';
  if (timedOut)
    return `Command timed out after ${timeout} s; all it had started was ended. Give a larger timeout, or run it with background: true and look at it later.`;
  if (overLimit !== undefined) return overLimits[overLimit];
  if (signal !== undefined) return `Command was ended by ${signal}.`;
  if (exitCode === undefined) return 'Command was not started.';
  return exitCode === 0 ? undefined : `Command exited with code ${exitCode}`;
}

const overLimits = {
  memory:
    'Command held more memory than it may, with what it had started, and all of it was ended. Work on less at a time; the limit is the setting plugins.processes.memory.',
  processes:
    'Command had more processes at a time than it may, and all of them were ended. Start fewer at a time; the limit is the setting plugins.processes.processes.',
  output: 'Command printed more than it may, and was ended with all it had started.',
} as const;

/** What to do where nobody can answer, and no terminal is there. */
export function inputHint(output: string): string | undefined {
  if (asksForInput(output))
    return 'It seems to have asked for input; stdin is empty here. Give the answer with an option (-y, --yes) or pipe it in: echo y | …';
  return wantsTerminal(output)
    ? 'It opened the terminal, /dev/tty, and there is none here. What only writes there can write to stderr, or be run with pty: true; what asks there gets its answer by an option (-y, --yes).'
    : undefined;
}

/** What of an output is not shown, and where it is. */
export function noticeOf(output: Output): string | undefined {
  const truncation = truncationOfOutput(output);
  return truncation === undefined ? undefined : formatOutputNotice({ truncation });
}
