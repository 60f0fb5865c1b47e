import type { Kernel } from './kernel.ts';

type Kind = 'exception' | 'rejection';

const events = { exception: 'uncaughtException', rejection: 'unhandledRejection' } as const;

/** Marks a listener of a kernel with whether it owns what is thrown now. By name, so that another copy of this file sees it. */
const owns = Symbol.for('kern.owns');

type KernelListener = NodeJS.UncaughtExceptionListener & { [owns]?: () => boolean };

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
    const others: readonly KernelListener[] = process.listeners(events[kind] as 'uncaughtException');
    if (others.some((other) => other[owns]?.() === true)) return;
    if (unowned !== undefined) {
      unowned(error, kind);
      return;
    }
    // The host has handlers of its own: it is theirs.
    if (others.some((other) => other[owns] === undefined)) return;
    // Nobody's: it ends the process, as if no kernel were here. Once, however many kernels there are.
    if (others.findLast((other) => other[owns] !== undefined) !== own) return;
    for (const other of others) process.off(events[kind] as 'uncaughtException', other);
    process.nextTick(() => {
      throw error;
    });
  };
  const own = Object.assign(listener, { [owns]: () => owner() !== undefined });
  return own;
}
