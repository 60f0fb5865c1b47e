import { statSync } from 'node:fs';
import {
  errorResult,
  formatBytes,
  newArtifact,
  resolvePath,
  type ToolContext,
  type ToolResult,
  textResult,
  whatIsThere,
} from 'kern/contracts';
import { KernError, type SpawnResult } from 'kern/plugin';
import { createSink, type Output } from './sink.ts';

export interface BashDetails {
  /** Undefined where a signal ended it. */
  readonly exitCode?: number;
  readonly signal?: string;
  readonly cwd: string;
  readonly truncated: boolean;
  /** The whole output, where it is longer than what is shown. */
  readonly artifactId?: string;
}

export interface BashArguments {
  readonly command: string;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const defaultTimeout = 300;
/** Between two updates. */
const updateMs = 100;
const updateBytes = 8 * 1024;

/** Runs a command to its end, its time limit or its abort. However it ends, the result says so and holds what it printed. */
export async function runCommand(
  { command, timeout = defaultTimeout, cwd, env }: BashArguments,
  _signal: AbortSignal,
  onUpdate: (partial: ToolResult) => void,
  context: ToolContext,
): Promise<ToolResult<BashDetails>> {
  const folder = resolvePath(cwd ?? '.', context.where.cwd);
  const refusal = refusalOf(command, cwd, folder, env);
  if (refusal !== undefined) return errorResult(refusal);
  const sink = createSink(async () => newArtifact(await context.artifacts(), 'bash.log'));
  const update = throttled(updateMs, () => onUpdate(textResult(sink.tail(updateBytes), { cwd: folder })));
  try {
    const child = context.spawn('bash', ['-c', command], {
      cwd: folder,
      merge: true,
      timeoutMs: timeout * 1000,
      keepBytes: 0,
      label: command,
      ...(env === undefined ? {} : { env }),
      onOutput(chunk) {
        sink.push(chunk);
        update.soon();
      },
    });
    const result = await child.result;
    return told(result, await sink.close(), folder, timeout);
  } catch (error) {
    if (!(error instanceof KernError)) throw error;
    return errorResult(`${error.message}.${error.hint === undefined ? '' : ` ${error.hint}`}`);
  } finally {
    update.stop();
    // A command may have written anything: whoever watches files below need not wait to be told.
    context.touched([...new Set([folder, context.where.root])]);
  }
}

function refusalOf(
  command: string,
  cwd: string | undefined,
  folder: string,
  env: BashArguments['env'],
): string | undefined {
  if (command.includes('\0')) return 'The command has a NUL in it, which no shell takes.';
  for (const [name, value] of Object.entries(env ?? {})) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      return `env: ${JSON.stringify(name)} is no name of a variable (letters, digits and _).`;
    if (value.includes('\0')) return `env: the value of ${name} has a NUL in it.`;
  }
  if (folder.includes('\0')) return 'cwd has a NUL in it.';
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return `The working directory ${cwd ?? folder} is not there. ${whatIsThere(folder)}`;
  return found.isDirectory() ? undefined : `The working directory ${cwd ?? folder} is not a folder.`;
}

function told(result: SpawnResult, output: Output, cwd: string, timeout: number): ToolResult<BashDetails> {
  const end = endOf(result, timeout);
  const text = [
    output.text.trimEnd() === ''
      ? output.totalBytes === 0
        ? '(no output)'
        : '(no visible output)'
      : output.text.trimEnd(),
    noticeOf(output),
    end,
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
  const details: BashDetails = {
    ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    ...(result.signal === undefined ? {} : { signal: result.signal }),
    cwd,
    truncated: output.truncated,
    ...(output.file === undefined ? {} : { artifactId: output.file.id }),
  };
  return end === undefined ? textResult(text, details) : errorResult(text, details);
}

/** What is to be said of the end, unless it was a good one. */
function endOf({ exitCode, signal, timedOut, aborted }: SpawnResult, timeout: number): string | undefined {
  if (aborted) return 'Command aborted; all it had started was ended.';
  if (timedOut)
    return `Command timed out after ${timeout} s; all it had started was ended. Give a larger timeout, or run it in the background with & and look at it later.`;
  if (signal !== undefined) return `Command was ended by ${signal}.`;
  if (exitCode === undefined) return 'Command was not started.';
  return exitCode === 0 ? undefined : `Command exited with code ${exitCode}`;
}

function noticeOf({ truncated, totalLines, totalBytes, shownFrom, by, cutLine, file }: Output): string | undefined {
  if (!truncated) return undefined;
  const what = cutLine
    ? `Showing the end of line ${totalLines}, which is over 50 KB; the output has ${formatBytes(totalBytes)}.`
    : `Showing lines ${shownFrom}-${totalLines} of ${totalLines}${by === 'bytes' ? ' (50 KB limit)' : ''}.`;
  if (file === undefined) return `[${what} The rest could not be kept.]`;
  return `[${what} ${file.partly ? 'The beginning, as far as there was room' : 'Whole output'}: ${file.path}]`;
}

/** Calls `send` at most once in `ms`, and after the last `soon` before `stop`. */
function throttled(ms: number, send: () => void): { soon(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    soon() {
      timer ??= setTimeout(() => {
        timer = undefined;
        send();
      }, ms);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
