import { randomBytes } from 'node:crypto';
import { KernError, type Processes } from 'kern/plugin';
import { type Supervised, superviseChild, type Tools } from './child.ts';
import { endTree, endTreeNow, groupExists } from './end.ts';
import { cleanEnvironment, type Keys, withAdded } from './environment.ts';
import { type Guardian, startGuardian } from './guardian.ts';
import { createTreeWatch, defaultProcesses, type TreeLimits, treeLimits } from './limits.ts';
import { createPipes, type Pipes } from './pipe.ts';
import { processTable, type Selection } from './table.ts';

export interface Supervisor extends Processes {
  /** What everything started here carries as KERN_RUN, followed by a dot and the number of the child. */
  readonly run: string;
  /** Ends everything and takes no more. */
  close(): Promise<void>;
}

interface Row {
  readonly pid: number;
  readonly run: string;
  readonly label: string;
  readonly owner: string | undefined;
  readonly startedAt: number;
}

/** Starts children, knows them until nothing of them is left, and ends them. `env` and `keys` are read at every start. */
export function createSupervisor(
  env: NodeJS.ProcessEnv,
  limits: TreeLimits = { memoryBytes: undefined, processes: defaultProcesses },
  keys: () => Keys = () => ({}),
): Supervisor {
  const outer = env.KERN_RUN;
  // Inside another kern the mark goes on from its mark: what that one ends, ends ours as well.
  const run = `${outer !== undefined && /^[0-9a-f.]+$/.test(outer) ? `${outer}.` : ''}${randomBytes(6).toString('hex')}`;
  const children = new Set<Supervised>();
  /** By process group: those whose first process runs, and those it left behind. */
  const led = new Map<number, Row>();
  const orphaned = new Map<number, Row>();
  const watch = createTreeWatch();
  let count = 0;
  let closed = false;
  let tools: Promise<Tools> | undefined;
  let guardian: Guardian | undefined;
  let pipes: Pipes | undefined;

  const prepare = async (): Promise<Tools> => {
    const { execa } = await import('execa');
    try {
      pipes = createPipes(execa);
    } catch {
      // No folder for temporary files: children get Node's sockets instead, one for each stream.
    }
    if (process.platform !== 'win32') guardian = startGuardian(execa, run, pipes?.folder ?? '');
    return { start: execa, pipes };
  };

  /** A group whose number is a living process again is a stranger's: its own first process has ended. */
  const dropGone = (): void => {
    for (const pid of orphaned.keys()) if (!groupExists(pid) || exists(pid)) orphaned.delete(pid);
  };
  const report = (): void => {
    dropGone();
    guardian?.tell({ led: [...led.keys()], orphaned: [...orphaned.keys()] });
  };
  const spare = (): ReadonlySet<number> =>
    new Set(guardian?.pid === undefined ? [process.pid] : [process.pid, guardian.pid]);
  const selectionOf = (pid: number, mark: string): Selection => {
    dropGone();
    return { groups: new Set(led.has(pid) || orphaned.has(pid) ? [pid] : []), run: mark, spare: spare() };
  };
  const everything = (): Selection => {
    dropGone();
    return { groups: new Set([...led.keys(), ...orphaned.keys()]), run, spare: spare() };
  };

  const supervisor: Supervisor = {
    run,
    environment: () => cleanEnvironment(env, keys()),
    spawn(command, args, options = {}) {
      count += 1;
      const mark = `${run}.${count}`;
      const child = superviseChild(command, args, options, {
        tools() {
          if (closed)
            throw new KernError(
              'processes_closed',
              `${command} was not started: kern is ending, or the plugin processes was unloaded`,
            );
          tools ??= prepare();
          return tools;
        },
        environment: (added) => ({ ...withAdded(cleanEnvironment(env, keys()), added), KERN_RUN: mark }),
        started(pid) {
          led.set(pid, {
            pid,
            run: mark,
            label: options.label ?? command,
            owner: options.owner,
            startedAt: Date.now(),
          });
          report();
        },
        exited(pid) {
          const row = led.get(pid);
          led.delete(pid);
          if (row !== undefined) orphaned.set(pid, row);
          report();
        },
        released: report,
        selection: (pid) => selectionOf(pid, mark),
        watch: (pid, wanted, over) =>
          watch.add({
            limits: treeLimits(wanted, limits),
            selection: () => selectionOf(pid, mark),
            isLed: () => led.has(pid),
            over,
          }),
      });
      children.add(child);
      const done = (): void => void children.delete(child);
      child.result.then(done, done);
      return child;
    },
    list() {
      dropGone();
      // The dead that nobody has noticed yet keep a group in being.
      const alive =
        orphaned.size === 0 ? undefined : new Set(processTable().flatMap((row) => (row.zombie ? [] : [row.group])));
      for (const pid of orphaned.keys()) if (alive?.has(pid) === false) orphaned.delete(pid);
      return [...led.values(), ...orphaned.values()].map(({ pid, label, owner, startedAt }) => ({
        pid,
        label,
        owner,
        startedAt,
      }));
    },
    killAllNow() {
      closed = true;
      for (const child of children) child.cancel();
      if (tools === undefined) return;
      endTreeNow(everything);
      pipes?.close();
    },
    async killAll(graceMs = 2_000) {
      const running = [...children];
      for (const child of running) child.cancel();
      if (tools === undefined) return;
      await tools.catch(() => undefined);
      const gone = await endTree(everything, graceMs);
      if (gone) await Promise.allSettled(running.map((child) => child.result));
    },
    async close() {
      closed = true;
      await supervisor.killAll();
      guardian?.release();
      pipes?.close();
    },
  };
  return supervisor;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
