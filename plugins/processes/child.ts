import { closeSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { execa } from 'execa';
import { type Child, KernError, messageOf, type SpawnOptions, type SpawnResult } from 'kern/plugin';
import { endTree } from './end.ts';
import type { Pipes } from './pipe.ts';
import { createRing, type Ring } from './ring.ts';
import type { Selection } from './table.ts';

/** What the supervisor has ready when the first child starts. */
export interface Tools {
  readonly start: typeof execa;
  /** Missing where the system gives no named pipes. */
  readonly pipes: Pipes | undefined;
}

/** What a child needs of its supervisor. */
export interface Ground {
  tools(): Promise<Tools>;
  environment(added: SpawnOptions['env']): Record<string, string>;
  started(pid: number): void;
  exited(pid: number): void;
  /** A stream that outlived the child is closed. */
  released(pid: number): void;
  selection(pid: number): Selection;
}

export interface Supervised extends Child {
  /** Not to be started, if it is not yet. */
  cancel(): void;
}

const graceMs = 2_000;
const keepBytes = 1024 * 1024;
/** Output that was on its way when the child ended comes within this time of the last piece. */
const idleMs = 100;
/** A background child that keeps talking does not hold the result longer than this. */
const drainLimitMs = 1_000;

type Exit = { readonly code: number | null; readonly signal: string | null };
type Reason = 'timeout' | 'abort' | 'kill';

export function superviseChild(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  ground: Ground,
): Supervised {
  const asked = performance.now();
  const written: (string | Uint8Array)[] = [];
  let ended = options.input !== 'pipe';
  let stdin: NodeJS.WritableStream | undefined;
  let pid: number | undefined;
  let exited = false;
  let reason: Reason | undefined;
  let ending: Promise<unknown> | undefined;
  const unendable = Promise.withResolvers<Exit>();

  const stop = (why: Reason, grace: number): Promise<unknown> | undefined => {
    if (!exited) reason ??= why;
    if (pid === undefined) return undefined;
    const { selection } = ground;
    const own = pid;
    ending = endTree(() => selection(own), grace).then((gone) => {
      // Not even SIGKILL: the system holds it. Nobody is kept waiting for that.
      if (!gone) unendable.resolve({ code: null, signal: 'SIGKILL' });
    });
    return ending;
  };
  const onAbort = (): void => void stop('abort', graceMs);

  const run = async (): Promise<SpawnResult> => {
    const out = createRing(options.keepBytes ?? keepBytes);
    const err = createRing(options.keepBytes ?? keepBytes);
    const outcome = (exit: Exit): SpawnResult => ({
      exitCode: exit.code ?? undefined,
      signal: exit.signal ?? undefined,
      stdout: out.text(),
      stderr: err.text(),
      timedOut: reason === 'timeout',
      aborted: reason === 'abort',
      dropped: out.dropped + err.dropped,
      durationMs: performance.now() - asked,
    });
    const unstarted: Exit = { code: null, signal: null };
    if (options.signal?.aborted) reason = 'abort';
    if (reason !== undefined) return outcome(unstarted);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    let timer: NodeJS.Timeout | undefined;
    try {
      const { start, pipes } = await ground.tools();
      const pipe = options.merge && reason === undefined ? await pipes?.open().catch(() => undefined) : undefined;
      if (reason !== undefined) {
        if (pipe !== undefined) closeSync(pipe.writeEnd);
        pipe?.stream.destroy();
        return outcome(unstarted);
      }
      const cwd = options.cwd ?? process.cwd();
      // Any number is taken; execa's types know 3 to 9.
      const merged = pipe?.writeEnd as 3 | undefined;
      const settings = {
        cwd,
        env: ground.environment(options.env),
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
      const own = child.pid;
      pid = own;
      ground.started(own);
      const exit = new Promise<Exit>((resolve) =>
        child.nodeChildProcess.once('exit', (code, signal) => resolve({ code, signal })),
      );
      if (child.stdin !== null) {
        stdin = child.stdin;
        // A program that does not read its input is no fault of ours: its exit tells.
        child.stdin.on('error', () => undefined);
        if (options.input !== undefined && options.input !== 'pipe') child.stdin.end(options.input);
        for (const part of written.splice(0)) child.stdin.write(part);
        if (ended) child.stdin.end();
      }
      const streams: readonly Source[] = pipe
        ? [source(pipe.stream, out, 'stdout')]
        : [source(child.stdout, out, 'stdout'), source(child.stderr, options.merge ? out : err, 'stderr')];
      const output = follow(streams, options.onOutput, () => ground.released(own));
      if (options.timeoutMs !== undefined) timer = setTimeout(() => void stop('timeout', graceMs), options.timeoutMs);

      const how = await Promise.race([exit, unendable.promise]);
      exited = true;
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      ground.exited(own);
      await output.drained();
      await ending;
      output.letGo();
      return outcome(how);
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
    }
  };

  const result = run();
  // Whoever asks for the result gets the failure; nobody has to ask.
  result.catch(() => undefined);

  return {
    get pid() {
      return pid;
    },
    result,
    write(data) {
      if (ended) return;
      if (stdin === undefined) written.push(data);
      else stdin.write(data);
    },
    end() {
      if (ended) return;
      ended = true;
      stdin?.end();
    },
    async kill(grace = graceMs) {
      await stop('kill', grace);
      await result.catch(() => undefined);
    },
    cancel() {
      if (pid === undefined) reason ??= 'kill';
    },
  };
}

type Source = { readonly stream: Readable; readonly ring: Ring; readonly name: 'stdout' | 'stderr' };

function source(stream: Readable | null, ring: Ring, name: 'stdout' | 'stderr'): Source {
  if (stream === null) throw new KernError('spawn_failed', `the system gave no ${name} for a child`);
  return { stream, ring, name };
}

/** Reads what comes, and says when no more is to be expected of a child that has ended. */
function follow(sources: readonly Source[], onOutput: SpawnOptions['onOutput'], onClose: () => void) {
  let open = sources.length;
  let pieces = 0;
  let changed = Promise.withResolvers<void>();
  let following = true;
  const wake = (): void => {
    pieces += 1;
    changed.resolve();
    changed = Promise.withResolvers();
  };
  for (const { stream, ring, name } of sources) {
    stream.on('data', (chunk: Uint8Array) => {
      // Afterwards it is still read: a background child that cannot write any more would die of it.
      if (!following) return;
      ring.push(chunk);
      onOutput?.(chunk, name);
      wake();
    });
    stream.on('error', () => stream.destroy());
    stream.once('close', () => {
      open -= 1;
      wake();
      if (open === 0) onClose();
    });
  }
  return {
    async drained(): Promise<void> {
      const until = performance.now() + drainLimitMs;
      while (open > 0 && performance.now() < until) {
        const seen = pieces;
        const idle = Promise.withResolvers<void>();
        const timer = setTimeout(idle.resolve, idleMs);
        await Promise.race([changed.promise, idle.promise]);
        clearTimeout(timer);
        // A loop that was busy meanwhile runs its timers first: what waits in the pipe is read before the next turn.
        if (pieces === seen) await setImmediate();
        if (pieces === seen) return;
      }
    },
    letGo(): void {
      following = false;
      for (const { stream } of sources) if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
    },
  };
}

function notStarted(command: string, cwd: string, cause: unknown): KernError {
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
