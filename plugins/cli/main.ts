import { existsSync, writeSync } from 'node:fs';
import { explain, installProcessHandlers, KernError, type Kernel } from 'kern/plugin';
import { answerOrReport } from './answer.ts';
import type { Composition } from './composition.ts';
import { guardOutput, type Output } from './output.ts';
import { findProgram } from './program.ts';
import { listenToSignals } from './signals.ts';
import { isPiped } from './stdin.ts';
import { mark, slowStarts, timeline } from './timing.ts';

/** How long handles that someone left open may keep the process after everything is done. */
const lingerMs = 500;

/** The composition root: everything between the bin and the kernel. Answers with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const { stdout, stderr, env } = process;
  mark('main', env);
  sayOnStderr();
  let isStdinOpen = false;
  let isThrown = false;
  const openStdin = (): NodeJS.ReadStream => {
    isStdinOpen = true;
    return process.stdin;
  };
  const kernels = new Set<Kernel>();
  const crash = (): void => {
    for (const kernel of kernels) kernel.crash();
  };
  const signals = listenToSignals(crash);
  const output = guardOutput([stdout, stderr], signals.abort);
  // Whatever ends the process, children end with it.
  const atExit = (code: number): void => {
    if (signals.exitCode === undefined && !isThrown) tellExit(code, kernels);
    crash();
  };
  // An error of nobody ends the process, too, and Node tells that.
  process.on('uncaughtExceptionMonitor', () => {
    isThrown ||= ownerIn(kernels) === undefined;
  });
  process.once('exit', atExit);
  // A promise of a plugin that never settles is waited for: the process would end silently, as if all were well.
  const alive = setInterval(() => {}, 2 ** 30);
  const code = await answerOrReport(
    argv,
    {
      get stdin() {
        return openStdin();
      },
      get piped() {
        return isPiped() ? openStdin() : undefined;
      },
      stdout,
      stderr,
      env,
      get cwd() {
        // Who names another folder may stand in one that is of no use.
        return argv.some((word) => /^--cwd(=|$)/.test(word)) ? hereOr('/') : hereOrRefuse();
      },
      signal: signals.signal,
      get version() {
        return findProgram().version;
      },
      compose: async (options) => tracked(await (await import('./compose.ts')).compose(options), kernels),
    },
    () => signals.exitCode === undefined && !output.isBroken && output.failure === undefined,
  );
  clearInterval(alive);
  mark('end', env);
  if (env.KERN_TIMING) stderr.write(`kern: ms since the start: ${timeline()}\n`);
  await output.drained();
  signals.dispose();
  process.off('exit', atExit);
  if (isStdinOpen) process.stdin.unref?.();
  if (output.failure !== undefined) stderr.write(`kern: ${output.failure}\n`);
  const exitCode = signals.exitCode ?? codeFor(code, output);
  setTimeout(() => process.exit(exitCode), lingerMs).unref();
  return exitCode;
}

/** The plugin whose code is running. */
const ownerIn = (kernels: ReadonlySet<Kernel>): string | undefined =>
  Array.from(kernels, (kernel) => kernel.owners.current()?.activation?.id).find((id) => id !== undefined);

/** Somebody ended the process before its work was done. Whoever waits for kern must not take that for a success. */
function tellExit(code: number, kernels: ReadonlySet<Kernel>): void {
  const plugin = ownerIn(kernels);
  const who = plugin === undefined ? 'something in this process' : `the plugin ${plugin}`;
  const hint =
    plugin === undefined
      ? ''
      : `\n  An error that it throws ends its own work alone; \`kern plugins disable ${plugin}\` switches it off.`;
  try {
    // What is written later is never written.
    writeSync(2, `kern: ${who} called process.exit(${code}), which ended kern before it was done${hint}\n`);
  } catch {
    // Nobody reads it.
  }
  if (code === 0) process.exitCode = 1;
}

function hereOr(other: string): string {
  try {
    return process.cwd();
  } catch {
    return other;
  }
}

/** The folder that the process stands in, which somebody may have removed. */
function hereOrRefuse(): string {
  let here: string;
  try {
    here = process.cwd();
  } catch (cause) {
    throw new KernError('usage', 'the folder that kern was started in is not there any more', {
      hint: 'Go to another one: cd',
      cause,
    });
  }
  // What stands for bytes that are no text leads nowhere.
  if (here.includes('\ufffd') && !existsSync(here))
    throw new KernError('usage', `the name of the folder that kern was started in is not UTF-8: ${here}`, {
      hint: 'Rename it, or reach it by a link whose name is plain text: kern --cwd <link>',
    });
  return here;
}

/** As the shell counts a program that wrote to a closed pipe. */
const closedPipe = 141;

/** What was done before the reader went is done; what its going cut short is not. */
function codeFor(code: number, { isBroken, failure }: Output): number {
  if (failure !== undefined) return 1;
  return isBroken && code !== 0 ? closedPipe : code;
}

/**
 * stdout carries only what was asked for: what plugins log would stand between the lines of `--json`. The console stays
 * the same object, since `node:console` hands it out too, and stays turned until the process ends: timers log late.
 */
function sayOnStderr(): void {
  Object.assign(console, new console.Console(process.stderr, process.stderr));
}

/** Remembers the kernel for as long as it lives, and makes it answer for its plugins' stray errors. */
function tracked(house: Composition, kernels: Set<Kernel>): Composition {
  const { kernel } = house;
  // To the end of the process: what a plugin left running may still fail, and is its own failure then, too.
  installProcessHandlers(kernel);
  kernels.add(kernel);
  return {
    ...house,
    shutdown: async () => {
      const slow = process.env.KERN_TIMING ? slowStarts(explain(kernel)) : undefined;
      if (slow !== undefined) process.stderr.write(`kern: plugins that were slow to start, in ms: ${slow}\n`);
      await house.shutdown();
      kernels.delete(kernel);
    },
  };
}
