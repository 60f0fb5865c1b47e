import { closeSync } from 'node:fs';
import type { execa } from 'execa';
import { createRing } from 'kern/contracts';
import type { Child, SpawnOptions, SpawnResult } from 'kern/plugin';
import { endTree } from './end.ts';
import type { Pipes } from './pipe.ts';
import { readsTerminal } from './reads-terminal.ts';
import { openSpill, type Spill } from './spill.ts';
import { type Exit, type Place, type Started, startPiped } from './start.ts';
import { follow, type Output } from './streams.ts';
import { members, processTable, type Selection } from './table.ts';
import { startInTerminal } from './terminal.ts';

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
  /** Looks after the limits of its tree, also when only what it left behind runs. */
  watch(pid: number, limits: SpawnOptions['limits'], over: (limit: 'memory' | 'processes') => void): void;
}

export interface Supervised extends Child {
  /** Not to be started, if it is not yet. */
  cancel(): void;
}

const graceMs = 2_000;
const keepBytes = 1024 * 1024;
/** Who reads from a terminal for so long, with nothing printed meanwhile, waits for a person. */
const waitingMs = 3_000;

type Reason = 'timeout' | 'abort' | 'kill' | 'memory' | 'processes' | 'output';

export function superviseChild(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  ground: Ground,
): Supervised {
  const asked = performance.now();
  const written: (string | Uint8Array)[] = [];
  let ended = options.input !== 'pipe';
  let stdin: Started['stdin'];
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
    let spill: Spill | undefined;
    let spilled: 'whole' | 'partly' | undefined;
    const outcome = (exit: Exit): SpawnResult => ({
      exitCode: exit.code ?? undefined,
      signal: exit.signal ?? undefined,
      stdout: out.text(),
      stderr: err.text(),
      timedOut: reason === 'timeout',
      aborted: reason === 'abort',
      ...(reason === 'memory' || reason === 'processes' || reason === 'output' ? { overLimit: reason } : {}),
      ...(spilled === undefined ? {} : { spilled }),
      dropped: out.dropped + err.dropped,
      durationMs: performance.now() - asked,
    });
    const unstarted: Exit = { code: null, signal: null };
    if (options.signal?.aborted) reason = 'abort';
    if (reason !== undefined) return outcome(unstarted);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    const undo: (() => void)[] = [() => options.signal?.removeEventListener('abort', onAbort)];
    try {
      const { start, pipes } = await ground.tools();
      const pipe =
        options.merge && options.terminal === undefined && reason === undefined
          ? await pipes?.open().catch(() => undefined)
          : undefined;
      if (reason !== undefined) {
        if (pipe !== undefined) closeSync(pipe.writeEnd);
        pipe?.stream.destroy();
        return outcome(unstarted);
      }
      if (options.spillTo !== undefined) spill = openSpill(options.spillTo);
      const place: Place = {
        cwd: options.cwd ?? process.cwd(),
        env: ground.environment(options.env),
        rings: { out, err },
      };
      const child =
        options.terminal === undefined
          ? await startPiped(start, command, args, options, place, pipe)
          : await startInTerminal(command, args, options.terminal, place);
      const own = child.pid;
      pid = own;
      ground.started(own);
      // What stopped it while its terminal was being made did not know whom to stop.
      if (reason !== undefined) void stop(reason, graceMs);
      stdin = child.stdin;
      if (options.input !== undefined && options.input !== 'pipe') stdin?.end(options.input);
      for (const part of written.splice(0)) stdin?.write(part);
      if (ended) stdin?.end();
      const { outputBytes = Number.POSITIVE_INFINITY } = options.limits ?? {};
      const output = follow(child.sources, {
        onOutput: options.onOutput,
        spill: spill?.write,
        onBytes: (total) => void (total > outputBytes && reason === undefined && stop('output', 0)),
        onClose: () => ground.released(own),
      });
      ground.watch(own, options.limits, (limit) => void stop(limit, 0));
      if (options.timeoutMs !== undefined) {
        const timer = setTimeout(() => void stop('timeout', graceMs), options.timeoutMs);
        undo.push(() => clearTimeout(timer));
      }
      if (options.terminal?.onWaiting !== undefined)
        undo.push(watchForReaders(output, () => ground.selection(own), options.terminal.onWaiting));

      const how = await Promise.race([child.exit, unendable.promise]);
      exited = true;
      for (const step of undo.splice(0)) step();
      ground.exited(own);
      await output.drained();
      await ending;
      output.letGo();
      spilled = spill?.close();
      spill = undefined;
      return outcome(how);
    } finally {
      for (const step of undo) step();
      spill?.close();
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

/** Tells once that something of the tree waits for a key. */
function watchForReaders(output: Output, select: () => Selection, tell: () => void): () => void {
  const timer = setInterval(() => {
    if (performance.now() - output.lastAt < waitingMs || !readsTerminal(members(processTable(), select()))) return;
    clearInterval(timer);
    tell();
  }, 500);
  return () => clearInterval(timer);
}
