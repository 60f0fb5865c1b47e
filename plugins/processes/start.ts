import { closeSync, statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { execa } from 'execa';
import type { Ring } from 'kern/contracts';
import { KernError, messageOf, type SpawnOptions } from 'kern/plugin';
import type { Pipe } from './pipe.ts';
import type { Source } from './streams.ts';

export type Exit = { readonly code: number | null; readonly signal: string | null };

/** A child that runs. */
export interface Started {
  readonly pid: number;
  readonly exit: Promise<Exit>;
  readonly sources: readonly Source[];
  readonly stdin: Pick<Writable, 'write' | 'end'> | undefined;
}

export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly rings: { readonly out: Ring; readonly err: Ring };
}

/** Starts a child with pipes; with `pipe`, both its streams go into that one. */
export async function startPiped(
  start: typeof execa,
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'input' | 'merge'>,
  { cwd, env, rings: { out, err } }: Place,
  pipe: Pipe | undefined,
): Promise<Started> {
  // Any number is taken; execa's types know 3 to 9.
  const merged = pipe?.writeEnd as 3 | undefined;
  const settings = {
    cwd,
    env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    stdin: options.input === undefined ? 'ignore' : 'pipe',
    stdout: merged ?? 'pipe',
    stderr: merged ?? 'pipe',
  } as const;
  let child: ReturnType<typeof start<typeof settings>>;
  try {
    child = start(command, args, settings);
  } catch (error) {
    pipe?.stream.destroy();
    throw notStarted(command, cwd, error);
  } finally {
    // The child has its own copy; ours would keep the stream open for ever.
    if (pipe !== undefined) closeSync(pipe.writeEnd);
  }
  if (child.pid === undefined) {
    pipe?.stream.destroy();
    throw notStarted(command, cwd, (await child).cause);
  }
  // Its promise waits for closed pipes; ours does not.
  child.catch(() => undefined);
  const { nodeChildProcess, stdin } = child;
  // A program that does not read its input is no fault of ours: its exit tells.
  stdin?.on('error', () => undefined);
  return {
    pid: child.pid,
    exit: new Promise((resolve) => nodeChildProcess.once('exit', (code, signal) => resolve({ code, signal }))),
    sources: pipe
      ? [{ stream: pipe.stream, read: pipe.read, ring: out, name: 'stdout' }]
      : [source(child.stdout, out, 'stdout'), source(child.stderr, options.merge ? out : err, 'stderr')],
    stdin: stdin ?? undefined,
  };
}

function source(stream: Readable | null, ring: Ring, name: 'stdout' | 'stderr'): Source {
  if (stream === null) throw new KernError('spawn_failed', `the system gave no ${name} for a child`);
  return { stream, ring, name };
}

/** Why a program cannot be started, and what to do about it. */
export function notStarted(command: string, cwd: string, cause: unknown): KernError {
  if (!isFolder(cwd))
    return new KernError('cwd_missing', `${command} was not started: the working directory ${cwd} is not there`, {
      hint: 'Give a cwd that exists.',
      cause,
    });
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT')
    return new KernError('program_not_found', `${command} is not installed, or not in PATH`, {
      hint: `Install ${command}, or give its full path.`,
      cause,
    });
  if (code === 'EACCES')
    return new KernError('program_not_executable', `${command} may not be executed`, {
      hint: `chmod +x ${command}, or name the program that runs it.`,
      cause,
    });
  if (code === 'E2BIG')
    return new KernError('arguments_too_long', `the arguments of ${command} are longer than the system takes`, {
      hint: 'Write the long part to a file and pass its path.',
      cause,
    });
  return new KernError('spawn_failed', `${command} could not be started: ${messageOf(cause)}`, { cause });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
