import type { SpawnResult } from 'kern/plugin';
import { formatBytes } from '../truncate.ts';
import { asksForInput } from './asks-for-input.ts';
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

/** What to do where nobody can answer. */
export function inputHint(output: string): string | undefined {
  return asksForInput(output)
    ? 'It seems to have asked for input; stdin is empty here. Give the answer with an option (-y, --yes) or pipe it in: echo y | …'
    : undefined;
}

/** What of an output is not shown, and where it is. */
export function noticeOf(output: Output): string | undefined {
  if (!output.truncated) return undefined;
  return `[${shownOf(output)} ${whereabouts(output)}]`;
}

function shownOf({ totalLines, totalBytes, shownFrom, shownTo, leftOut, by, cutLine }: Output): string {
  if (leftOut !== undefined)
    return `Showing lines 1-${leftOut.from - 1} and ${leftOut.to + 1}-${totalLines} of ${totalLines}.`;
  if (cutLine)
    return shownTo === totalLines
      ? `Showing the end of line ${totalLines}, which is over 50 KB; the output has ${formatBytes(totalBytes)}.`
      : `Showing the beginning of line ${shownTo}, which is over 50 KB; the output has ${formatBytes(totalBytes)}.`;
  return `Showing lines ${shownFrom}-${shownTo} of ${totalLines}${by === 'bytes' ? ' (50 KB limit)' : ''}.`;
}

function whereabouts({ file }: Output): string {
  if (file === undefined) return 'The rest could not be kept.';
  return `${file.partly ? 'The beginning, as far as there was room' : 'Whole output'}: artifact://${file.id} = ${file.path}`;
}
