import type { Kernel } from './kernel.ts';

type Kind = 'exception' | 'rejection';

const events = { exception: 'uncaughtException', rejection: 'unhandledRejection' } as const;

/** Marks a listener of a kernel. By name, so that another copy of this file sees it. */
const ofKernel = Symbol.for('kern.listener');

interface Mark {
  /** Whether it answers for what is thrown now. */
  owns(): boolean;
  /** Whether it takes what nobody owns. */
  readonly takesUnowned: boolean;
}

type Listener = NodeJS.UncaughtExceptionListener & { [ofKernel]?: Mark };

/**
 * Errors that nobody caught go to the plugin that caused them; the process lives on. Those without an owner in any
 * kernel of the process go to `unowned`, or, without one, on to the host: to its other handlers, else to Node's own
 * end. Answers with what takes the handlers away.
 */
export function installProcessHandlers(kernel: Kernel, unowned?: (error: unknown, kind: Kind) => void): () => void {
  const install = (kind: Kind): (() => void) => {
    const listener = listenerOf(kernel, kind, unowned);
    process.on(events[kind] as 'uncaughtException', listener);
    return () => void process.off(events[kind], listener);
  };
  const removers = (['exception', 'rejection'] as const).map(install);
  return () => {
    for (const remove of removers) remove();
  };
}

function listenerOf(
  kernel: Kernel,
  kind: Kind,
  unowned: ((error: unknown, kind: Kind) => void) | undefined,
): (error: unknown) => void {
  const owner = () => kernel.owners.current()?.activation;
  const listener = (error: unknown): void => {
    const activation = owner();
    if (activation !== undefined) {
      const at = kind === 'exception' ? 'code that nobody waits for' : 'a promise that nobody waits for';
      kernel.journal.failure(activation.id, 'stray_error', at, error);
      return;
    }
    const all: readonly Listener[] = process.listeners(events[kind] as 'uncaughtException');
    const kernels = all.filter((one) => one[ofKernel] !== undefined);
    if (kernels.some((one) => one[ofKernel]?.owns() === true)) return;
    if (unowned !== undefined) {
      unowned(error, kind);
      return;
    }
    // Another takes it, or the host has handlers of its own: then it is theirs.
    if (all.length > kernels.length || kernels.some((one) => one[ofKernel]?.takesUnowned === true)) return;
    // Nobody's: it ends the process, as if no kernel were here. Once, however many kernels there are.
    if (kernels.at(-1) !== own) return;
    for (const one of kernels) process.off(events[kind] as 'uncaughtException', one);
    process.nextTick(() => {
      throw error;
    });
  };
  const mark: Mark = { owns: () => owner() !== undefined, takesUnowned: unowned !== undefined };
  const own = Object.assign(listener, { [ofKernel]: mark });
  return own;
}
