import { installProcessHandlers, type Kernel } from 'kern/plugin';
import { answer } from './answer.ts';
import { exitCodeOf } from './api.ts';
import type { Composition } from './composition.ts';
import { failureLines, failureReport } from './failure.ts';
import { guardOutput } from './output.ts';
import { findProgram } from './program.ts';
import { wantsJson } from './shared.ts';
import { listenToSignals } from './signals.ts';

/** How long handles that someone left open may keep the process after everything is done. */
const lingerMs = 500;

/** The composition root: everything between the bin and the kernel. Answers with the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const { stdout, stderr, env } = process;
  let isStdinOpen = false;
  const kernels = new Set<Kernel>();
  const crash = (): void => {
    for (const kernel of kernels) kernel.crash();
  };
  const signals = listenToSignals(crash);
  const output = guardOutput([stdout, stderr], signals.abort);
  // Whatever ends the process, children end with it.
  process.once('exit', crash);
  let code: number;
  try {
    code = await answer(argv, {
      get stdin() {
        isStdinOpen = true;
        return process.stdin;
      },
      stdout,
      stderr,
      env,
      cwd: process.cwd(),
      signal: signals.signal,
      get version() {
        return findProgram().version;
      },
      compose: async (options) => tracked(await (await import('./compose.ts')).compose(options), kernels),
    });
  } catch (error) {
    code = exitCodeOf(error);
    if (signals.exitCode === undefined && !output.isBroken) report(error, wantsJson(argv));
  }
  await output.drained();
  output.dispose();
  signals.dispose();
  process.off('exit', crash);
  if (isStdinOpen) process.stdin.unref?.();
  const exitCode = signals.exitCode ?? (output.isBroken ? 0 : code);
  setTimeout(() => process.exit(exitCode), lingerMs).unref();
  return exitCode;
}

/** Remembers the kernel for as long as it lives, and makes it answer for its plugins' stray errors. */
function tracked(house: Composition, kernels: Set<Kernel>): Composition {
  const { kernel } = house;
  const release = installProcessHandlers(kernel);
  kernels.add(kernel);
  return {
    ...house,
    shutdown: async () => {
      await house.shutdown();
      release();
      kernels.delete(kernel);
    },
  };
}

function report(error: unknown, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(failureReport(error), undefined, 2)}\n`);
  else process.stderr.write(`${failureLines(error).join('\n')}\n`);
}
