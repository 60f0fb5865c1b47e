/** What ends a run from outside, with the exit code it stands for. */
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type SignalName = keyof typeof codes;

/** How long an orderly end may take before it becomes a sudden one. */
const graceMs = 10_000;

export interface Signals {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Set once a signal came. */
  readonly exitCode: number | undefined;
  /** Ends the run as a signal would, for another reason. */
  abort(): void;
  dispose(): void;
}

/**
 * The first signal asks for an orderly end, the second ends at once. `crash` puts the terminal and all children right;
 * it is synchronous, and called on every sudden way out.
 */
export function listenToSignals(
  crash: () => void,
  exit: (code: number) => void = (code) => process.exit(code),
): Signals {
  const controller = new AbortController();
  let exitCode: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    crash();
    exit(exitCode ?? 1);
  };
  const listeners = (Object.keys(codes) as SignalName[]).map((name) => {
    const listener = (): void => {
      if (exitCode !== undefined) {
        end();
        return;
      }
      exitCode = codes[name];
      timer = setTimeout(end, graceMs);
      timer.unref();
      // Named as every abort is; modes read the code for their last line.
      controller.abort(Object.assign(new DOMException(`ended by ${name}`, 'AbortError'), { exitCode }));
    };
    process.on(name, listener);
    return [name, listener] as const;
  });
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    abort: () => controller.abort(),
    dispose: () => {
      clearTimeout(timer);
      for (const [name, listener] of listeners) process.off(name, listener);
    },
  };
}
